"""Templates rendered in a separate process, with limits: an untrusted one may loop for ever, or fill the memory."""

from __future__ import annotations

import atexit
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Final, final

from message_history_compile import templates
from message_history_measure import TemplateRefusedError

if TYPE_CHECKING:
    from message_history_compile.targets.base import Settings

SECONDS: Final = 10.0
"""How much of a processor's time one conversation may take: what is rejected does not depend on other programs."""
CLOCK: Final = 10
"""How many times as long it may take by the clock."""
MEMORY: Final = 1024 * 1024 * 1024
"""How much memory the process may have, where the system can limit it."""
LONGEST: Final = 64 * 1024 * 1024
"""How long a rendered text may be."""
_open: dict[tuple[int, Settings], _Renderer] = {}


def render(settings: Settings, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """Render messages, within limits of time and memory.

    Raises `TemplateRefusedError` when the template raises, is not a template, or goes beyond a limit.
    """
    if sys.platform == "emscripten":
        return templates.render(settings, messages, tools)
    # A process that was forked has no right to the pipes of the one that it comes from.
    key = (os.getpid(), settings)
    if key not in _open:
        close_all()
        _open[key] = _Renderer(settings)
    return _open[key].render(messages, tools)


def close_all() -> None:
    """End the processes that render."""
    for (owner, _), renderer in list(_open.items()):
        if owner == os.getpid():
            renderer.close()
    _open.clear()


atexit.register(close_all)


@final
class _Renderer:
    """A process that renders with one template; it is started when it is needed, and again after it was killed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes] = queue.Queue()

    def render(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        answer = self._asked({"messages": messages, "tools": tools})
        if answer is None:
            self.close()
            raise TemplateRefusedError(f"it takes longer than {SECONDS:g} s, or more than {MEMORY >> 20:,} MB")
        if "refused" in answer:
            raise TemplateRefusedError(answer["refused"])
        return str(answer["text"])

    def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _asked(self, request: dict[str, Any]) -> Any:
        """Ask the process; None when it gives no answer in time, or is gone."""
        pipe = self._started().stdin
        try:
            if pipe is not None:
                pipe.write(json.dumps(request).encode() + b"\n")
                pipe.flush()
            line = self._answers.get(timeout=SECONDS * CLOCK)
        except (OSError, queue.Empty):
            return None
        return json.loads(line) if line.endswith(b"\n") else None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-m", "message_history_compile.rendering"]
            self._answers = queue.Queue()
            started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own
            threading.Thread(target=_pass_on, args=(started.stdout, self._answers), daemon=True).start()
            about = {"template": self._settings.template, "tokens": self._settings.tokens, "seconds": SECONDS}
            if started.stdin is not None:
                started.stdin.write(json.dumps(about).encode() + b"\n")
                started.stdin.flush()
            self._process = started
            # To start takes longer than to render, and is not the template's fault.
            self._answers.get()
        return self._process


def _pass_on(pipe: IO[bytes] | None, answers: queue.Queue[bytes]) -> None:
    for line in pipe or ():
        answers.put(line)
    answers.put(b"")


def _limit() -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _end_after(seconds: float) -> None:
    """Let the system end this process when it has worked for so long; 0 takes that back."""
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_PROF, seconds)


def serve() -> None:
    """Render what the standard input asks for, line by line, until it ends."""
    from message_history_compile.targets.base import Settings  # noqa: PLC0415 - known by types only above

    _limit()
    about = json.loads(sys.stdin.buffer.readline())
    settings = Settings(template=about["template"], tokens=tuple((key, text) for key, text in about["tokens"]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin.buffer:
        _end_after(about["seconds"])
        answer = _answer(settings, json.loads(line))
        _end_after(0)
        sys.stdout.write(answer)
        sys.stdout.flush()


def _answer(settings: Settings, request: dict[str, Any]) -> str:
    try:
        text = templates.render(settings, request["messages"], request["tools"])
        if len(text) > LONGEST:
            return json.dumps({"refused": f"it renders more than {LONGEST:,} characters"}) + "\n"
        return json.dumps({"text": text}) + "\n"
    except TemplateRefusedError as error:
        return json.dumps({"refused": f"{error}"[:1000]}) + "\n"
    except MemoryError:
        return json.dumps({"refused": f"it needs more than {MEMORY >> 20:,} MB"}) + "\n"


if __name__ == "__main__":
    serve()
