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
    from pathlib import Path

    from benchmarks.transcripts import Raw

__all__ = ["BOUNDS", "histories", "main", "measured", "operations", "table"]

SIZES: Final = (1_000, 10_000)
ROUNDS: Final = 5
SHORTEST: Final = 0.02
PLAIN: Final = "plain"
METADATA: Final = "metadata"
DECIDED: Final = "decided"
_WINDOW: Final = "the arrivals of the first messages are cut: as much for any history"
BOUNDS: Final = {
    "the text of the saved form, json.loads": "how much more JSON there is; nothing of this library",
    "load": "each value is checked and packed, once; see the text",
    "save": "fresh dicts are made of what is packed; see the text",
    "pickle": "the same dicts, and pickle writes them",
    "unpickle": "pickle makes the dicts, and each value is checked again, as in all that is read",
    "first window": _WINDOW,
    "window": _WINDOW,
    "add, one dict": "the values are checked and packed",
    "read a list": "the values are checked and packed",
    "memory": "the packed bytes, which a message without has not",
}
"""What takes the time of an operation that takes more than 1.1 times as long."""
LIMIT: Final = 1.1
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
    text = json.dumps(saved)
    found: dict[str, Callable[[], tuple[Any, Run]]] = {
        "the text of the saved form, json.loads": lambda: (text, json.loads),
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


def table(path: Path = FOLDER / "carried.json") -> str:
    """Write what a run kept as a table; nothing where none has run."""
    if not path.exists():
        return ""
    kept = json.loads(path.read_text(encoding="utf-8"))
    sizes, names = list(kept), list(kept[next(iter(kept))])
    heads = [f"{name}, {size}" for name in names for size in sizes]
    rows = [f"| | {' | '.join(heads)} | above {LIMIT}: what takes it |", f"|---|{'---:|' * len(heads)}---|"]
    for key in kept[sizes[0]][names[0]]:
        found = [median(kept[size][name][key]) if key in kept[size][name] else None for name in names for size in sizes]
        why = BOUNDS.get(key, "") if any(ratio is not None and ratio > LIMIT for ratio in found) else ""
        rows.append(f"| {key} | {' | '.join('' if ratio is None else f'{ratio:.2f}' for ratio in found)} | {why} |")
    what = (
        "How many times as long, or as large, as the same messages without: with an id and a time as metadata of each, "
        "and with a decision (who, when) on each call, of which there are six in ten messages. Processor time, the "
        "median of the rounds, measured with `python -m benchmarks.carried`."
    )
    return "\n".join([what, "", *rows])


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
