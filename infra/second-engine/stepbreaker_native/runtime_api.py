"""The four routes of Lambda's Runtime API, for one process: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html"""

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue


@dataclass(frozen=True)
class Event:
    """One invocation, as the process is given it."""

    request_id: str
    payload: bytes
    deadline_ms: int
    function_arn: str
    trace_id: str


@dataclass(frozen=True)
class Outcome:
    """What the process said of an invocation; of none where it failed at its start."""

    request_id: str | None
    payload: bytes
    is_error: bool


class RuntimeApi:
    """Hands events to one process and takes its outcomes."""

    def __init__(self) -> None:
        self.events: Queue[Event | None] = Queue()
        self.outcomes: Queue[Outcome] = Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.api = self
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self.events.put(None)
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Says nothing: the function has its own log."""

    def do_GET(self) -> None:
        event = self.server.api.events.get()
        if event is None:
            self._answer(500)
            return
        self._answer(
            200,
            event.payload,
            {
                "Content-Type": "application/json",
                "Lambda-Runtime-Aws-Request-Id": event.request_id,
                "Lambda-Runtime-Deadline-Ms": str(event.deadline_ms),
                "Lambda-Runtime-Invoked-Function-Arn": event.function_arn,
                "Lambda-Runtime-Trace-Id": event.trace_id,
            },
        )

    def do_POST(self) -> None:
        body = self._body()
        parts = self.path.strip("/").split("/")
        # 2018-06-01/runtime/init/error, or …/invocation/ID/response, or …/invocation/ID/error
        if parts[2:] == ["init", "error"]:
            outcome = Outcome(None, body, True)
        else:
            outcome = Outcome(parts[3], body, parts[4] == "error")
        self.server.api.outcomes.put(outcome)
        self._answer(202, b'{"status":"OK"}')

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
