"""What LocalEmu finds of us."""

import os
import signal
import threading
import time
import warnings
from pathlib import Path

from typing_extensions import deprecated

# LocalEmu 1.3.2 says that Python 3.12 is enough, but reads this from where only 3.13 has it.
if not hasattr(warnings, "deprecated"):
    warnings.deprecated = deprecated

from localemu.runtime import hooks  # noqa: E402
from localemu.services.lambda_.invocation.plugins import RuntimeExecutorPlugin  # noqa: E402


class NativeExecutorPlugin(RuntimeExecutorPlugin):
    """Chosen with LAMBDA_RUNTIME_EXECUTOR=native."""

    name = "native"

    def load(self, *_: object, **__: object) -> type:
        from .executor import NativeExecutor

        return NativeExecutor


@hooks.on_infra_start()
def mend() -> None:
    """Mends the engine and says so: a plug-in that fails to import is only a line in LocalEmu's log."""
    from . import executor, mends

    mends.all_of_them()
    if loaded := os.environ.get("STEPBREAKER_PLUGIN_LOADED"):
        Path(loaded).write_text(f"{executor.__name__}\n")


def _end_with(starter: int) -> None:
    """Ends the engine, and the functions that it runs, once whoever started it is gone: killed, it could not end us."""
    while os.getppid() == starter:
        time.sleep(0.5)
    # The group is ours alone: with-engine.sh gave us one.
    os.killpg(os.getpgrp(), signal.SIGKILL)


@hooks.on_infra_start()
def watch() -> None:
    """Watches over whoever started us, if that is told."""
    if starter := os.environ.get("STEPBREAKER_STARTED_BY"):
        if os.getpgrp() == os.getpid():
            threading.Thread(target=_end_with, args=(int(starter),), daemon=True).start()
