"""What it costs that metadata comes with messages, or that more than a state is recorded of calls.

python -m benchmarks.carried           measures 1,000 and 10,000 messages, prints the ratios and keeps them
python -m benchmarks.carried 100 ...   measures other sizes, and prints only

All in one process, processor time, medians of rounds in which every history has its turn: the ratios are what counts.
"""

from __future__ import annotations

import gc
import json
import logging
import pickle
import sys
import tracemalloc
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from benchmarks.results import FOLDER
from benchmarks.transcripts import transcript
from message_history import MessageHistory
from message_history.dialects import Anthropic, OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.transcripts import Raw

__all__ = ["PLAIN", "histories", "main", "measured", "operations"]

SIZES: Final = (1_000, 10_000)
ROUNDS: Final = 9
SHORTEST: Final = 0.02
PLAIN: Final = "plain"
METADATA: Final = "metadata"
DECIDED: Final = "decided"
Run: TypeAlias = "Callable[[Any], object]"


def histories(size: int) -> dict[str, MessageHistory]:
    """Make a history three times: as it is, with metadata of each message, and with a decision on each call."""
    raw = transcript(size)
    decided = MessageHistory()
    for message in raw:
        if isinstance(message["content"], list) and message["content"][0]["type"] == "tool_result":
            for n, call in enumerate(decided.awaiting):
                decided = decided.record_call(call, "approved", by="ann@example.com", at=1_790_000_000.5 + n)
        decided = decided.add(message)
    made = {PLAIN: MessageHistory.from_list(raw), METADATA: MessageHistory.from_list(_named(raw)), DECIDED: decided}
    return {name: MessageHistory.from_list(history.to_list()) for name, history in made.items()}


def _named(raw: Raw) -> Raw:
    return [{**message, **_metadata(n)} for n, message in enumerate(raw)]


def _metadata(n: int) -> dict[str, Any]:
    return {"id": f"msg_{n:08}", "created_at": 1_790_000_000.5 + n}


def operations(name: str, history: MessageHistory, raw: Raw) -> dict[str, Callable[[], tuple[Any, Run]]]:
    """Make what is measured ready: each entry makes an argument outside of the time, and what is done with it."""
    saved, pickled = history.to_list(), pickle.dumps(history)
    found: dict[str, Callable[[], tuple[Any, Run]]] = {
        "save": lambda: (history, lambda it: it.to_list()),
        "load": lambda: (saved, MessageHistory.from_list),
        "pickle": lambda: (history, pickle.dumps),
        "unpickle": lambda: (pickled, pickle.loads),
        "send": lambda: (history, lambda it: it.for_send(Anthropic())),
        "send to Chat Completions": lambda: (history, lambda it: it.for_send(OpenAIChat())),
        "first window": lambda: (pickle.loads(pickled), lambda it: it.window(max_messages=len(raw) // 2)),
        "window": lambda: (history, lambda it: it.window(max_messages=len(raw) // 2)),
        "calls": lambda: (history, lambda it: it.calls),
    }
    if name != DECIDED:
        pairs = [(message, _metadata(n) if name == METADATA else None) for n, message in enumerate(raw)]
        entries = raw if name == PLAIN else _named(raw)
        found |= {
            "add, one dict": lambda: (pairs, _added),
            "read a list": lambda: (entries, MessageHistory.from_list),
        }
    return found


def _added(pairs: list[tuple[Any, Any]]) -> MessageHistory:
    history = MessageHistory()
    for message, metadata in pairs:
        history = history.add(message, metadata=metadata)
    return history


def timed(make: Callable[[], tuple[Any, Run]]) -> float:
    """Return the seconds of one call, of as many as it takes to measure them."""
    seconds, calls = 0.0, 0
    while seconds < SHORTEST:
        argument, run = make()
        gc.collect()
        times = 1 if calls == 0 else max(1, int(SHORTEST * calls / max(seconds, 1e-6)))
        times = 1 if make()[0] is not argument else times
        start = process_time()
        for _ in range(times):
            run(argument)
        seconds, calls = seconds + process_time() - start, calls + times
    return seconds / calls


def held(history: MessageHistory) -> int:
    """Return the bytes of a history that was loaded."""
    text = json.dumps(history.to_list())
    gc.collect()
    tracemalloc.start()
    loaded = MessageHistory.from_list(json.loads(text))
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del loaded
    return size


def measured(size: int, rounds: int = ROUNDS) -> dict[str, dict[str, list[float]]]:
    """Return, for metadata and for decisions, the ratios of each operation, round by round."""
    raw, made = transcript(size), histories(size)
    ready = {name: operations(name, history, raw) for name, history in made.items()}
    found: dict[str, dict[str, list[float]]] = {name: {key: [] for key in ready[name]} for name in (METADATA, DECIDED)}
    for key in ready[PLAIN]:
        for _ in range(rounds):
            seconds = {name: timed(cases[key]) for name, cases in ready.items() if key in cases}
            for name, ratios in found.items():
                if name in seconds:
                    ratios[key].append(round(seconds[name] / seconds[PLAIN], 3))
    bytes_held = {name: held(history) for name, history in made.items()}
    for name, ratios in found.items():
        ratios["memory"] = [round(bytes_held[name] / bytes_held[PLAIN], 3)]
    return found


def main(arguments: list[str]) -> int:
    """Measure and print; keep what the usual sizes gave."""
    logging.getLogger("message_history").addHandler(logging.NullHandler())
    cells = {}
    for size in map(int, arguments or SIZES):
        cells[f"{size:,}"] = measured(size)
        for name, found in cells[f"{size:,}"].items():
            figures = ", ".join(
                f"{key} {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" for key, ratios in found.items()
            )
            print(f"{size:,}, {name}: {figures}", flush=True)
    if not arguments:
        (FOLDER / "carried.json").write_text(json.dumps(cells, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
