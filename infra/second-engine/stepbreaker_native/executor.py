"""Runs a function of the runtimes `provided.*` as a process of this machine, as Lambda runs it: one invocation at a time, killed
at the function's time-out, replaced when it dies."""

import json
import os
import subprocess
import tempfile
import time
from queue import Empty

from localemu import config
from localemu.services.lambda_.invocation.lambda_models import InvocationResult
from localemu.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from .runtime_api import Event, Outcome, RuntimeApi

# How soon a process that died is noticed.
_GLANCE_S = 0.05


class NativeExecutor(RuntimeExecutor):
    """One process with its Runtime API and its log."""

    def start(self, env_vars: dict[str, str]) -> None:
        self._api = RuntimeApi()
        root = str(self.function_version.config.code.get_unzipped_code_location())
        self._executable = os.path.join(root, "bootstrap")
        os.chmod(self._executable, 0o755)
        self._log = tempfile.TemporaryFile()
        self._environment = {
            "PATH": os.environ["PATH"],
            **{name: str(value) for name, value in env_vars.items() if value is not None},
            "AWS_LAMBDA_RUNTIME_API": self._api.address,
            "LAMBDA_TASK_ROOT": root,
        }
        self._spawn()

    def _spawn(self) -> None:
        self._process = subprocess.Popen(
            [self._executable],
            env=self._environment,
            cwd=os.path.dirname(self._executable),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self._end()
        self._api.stop()
        self._log.close()

    def invoke(self, payload: dict[str, str], function_timeout: int | None = None) -> InvocationResult:
        request_id = payload["invoke-id"]
        timeout = self.function_version.config.timeout
        logged = os.fstat(self._log.fileno()).st_size
        text = payload["payload"]
        end = time.time() + timeout
        self._api.events.put(
            Event(
                request_id=request_id,
                payload=text.encode() if isinstance(text, str) else text,
                deadline_ms=int(end * 1000),
                function_arn=payload["invoked-function-arn"],
                trace_id=payload.get("trace-id") or "",
            )
        )
        outcome = self._outcome(request_id, end, timeout)
        return InvocationResult(
            request_id=request_id,
            payload=outcome.payload,
            is_error=outcome.is_error,
            logs=f"START RequestId: {request_id} Version: $LATEST\n{self._read_log(logged)}END RequestId: {request_id}\n",
        )

    def _outcome(self, request_id: str, end: float, timeout: int) -> Outcome:
        while True:
            try:
                outcome = self._api.outcomes.get(timeout=_GLANCE_S)
                if outcome.request_id in (None, request_id):
                    return outcome
            except Empty:
                pass
            if self._process.poll() is not None:
                status = self._process.returncode
                return self._replaced(request_id, "Runtime.ExitError", f"Runtime exited with error: exit status {status}")
            if time.time() >= end:
                self._end()
                return self._replaced(request_id, "Sandbox.Timedout", f"Task timed out after {timeout:.2f} seconds")

    def _replaced(self, request_id: str, error_type: str, message: str) -> Outcome:
        self._spawn()
        error = {"errorType": error_type, "errorMessage": f"RequestId: {request_id} Error: {message}"}
        return Outcome(request_id, json.dumps(error).encode(), True)

    def _read_log(self, start: int = 0) -> str:
        # Not by seeking: the position is the process's own, which goes on writing.
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size - start, start).decode(errors="replace")

    def get_logs(self) -> str:
        return self._read_log()

    def get_address(self) -> str:
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        return "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}"

    @classmethod
    def prepare_version(cls, function_version) -> None:
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version) -> None:
        """There is nothing to clean up: the engine's whole directory goes at its end."""
