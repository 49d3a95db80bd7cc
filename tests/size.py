"""How many lines of Python there are, and how many of them a program loads: `python -m tests.size` prints it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
GOALS: Final = {"main distribution": 60_000, "quickstart": 13_000, "with JSONL sessions": 19_500}
"""The most lines there should be: who adds finds what goes, or puts it into a distribution of its own."""
LIMITS: Final = {"main distribution": 60_000, "quickstart": 12_804, "with JSONL sessions": 19_309}
"""The most there may be for now: who adds takes as much away, until the goals are reached."""
QUICKSTART: Final = """
from message_history import MessageHistory

history = MessageHistory().add_user("What's the weather in Paris?")
history = history.add(
    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Paris"}}]}
)
for call in history.awaiting:
    history = history.add_tool_result(call, "sunny")
history.for_send()
"""
SESSIONS: Final = f"""
{QUICKSTART}
import tempfile
from message_history.storage import JsonlSession

with tempfile.TemporaryDirectory() as folder:
    session = JsonlSession(f"{{folder}}/chat.jsonl")
    session.append(session.load().add_user("Hi"))
"""
LOADED: Final = """
import sys
files = [module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "message_history"]
print(sum(len(open(file, encoding="utf-8").readlines()) for file in files))
"""


def lines() -> dict[str, int]:
    """Count what `LIMITS` limits."""
    source = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "src").rglob("*.py"))
    return {
        "main distribution": source,
        "quickstart": lines_loaded(QUICKSTART),
        "with JSONL sessions": lines_loaded(SESSIONS),
    }


def lines_loaded(program: str) -> int:
    """Count the lines of all modules that are loaded once a program has run."""
    ran = subprocess.run([sys.executable, "-c", program + LOADED], check=True, capture_output=True, text=True)
    return int(ran.stdout)


if __name__ == "__main__":
    for name, count in lines().items():
        sys.stdout.write(f"{name}: {count:,}; the goal is {GOALS[name]:,}\n")
