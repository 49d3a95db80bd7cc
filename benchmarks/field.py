"""How fast sessions of the field are: in generated shapes, or in recordings of your own.

python -m benchmarks.field                 measures generated shapes of 100 and 1,000 messages; prints and keeps them
python -m benchmarks.field --data FOLDER   measures each JSON list and each line of JSONL in a folder, and prints

All in one process, processor time, medians of rounds in which every case has its turn: the ratios are what counts.
"""

from __future__ import annotations

import copy
import gc
import json
import logging
import os
import pickle
import sys
import tracemalloc
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.broken_histories import as_chat
from benchmarks.field_shapes import SHAPES
from benchmarks.measure import made
from benchmarks.results import FOLDER
from message_history import MessageHistory
from message_history.core.messages.message import items_of
from message_history.core.messages.sendable import reach
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Dialect,
    Gemini,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    PydanticAI,
)
from message_history.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.field_shapes import Raw

__all__ = ["main", "measured", "share_of_plain"]

SIZES: Final = (100, 1_000)
ROUNDS: Final = 7
SHORTEST: Final = 0.01
OWN_FORMS: Final[dict[str, Dialect[Any]]] = {
    type(dialect).__name__: dialect for dialect in (OpenAIResponses(), Gemini(), Mistral(), Bedrock(), PydanticAI())
}
LEAST: Final = 20
"""How many messages a recording must have to be measured; of others the shares of the short ways are counted."""
EVERY: Final = 100
"""One message in so many is damaged."""


def share_of_plain(raw: Raw, dialect: Dialect[Any] | None = None) -> tuple[float, float]:
    """Say which shares of the messages are read and written the short way."""
    history = MessageHistory.from_list(raw, dialect=dialect)
    read = sum(bool(items_of(message)) for message in history)
    return read / max(len(history), 1), sum(reach(message) >= 0 for message in history) / max(len(history), 1)


def damaged(raw: Raw) -> Raw:
    """Take the first result out of one message in a hundred, or the message itself."""
    found = copy.deepcopy(raw)
    holders = [n for n, message in enumerate(found) if any(map(_is_result, message["content"]))]
    for start in range(EVERY // 2, len(found), EVERY):
        for n in [n for n in holders if n >= start][:1]:
            found[n]["content"] = found[n]["content"][1:]
    return [message for message in found if message["content"] != []]


def _is_result(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def cases(raw: Raw, dialect: Dialect[Any]) -> dict[str, tuple[str, Callable[[], object]]]:
    """Make the operations on a list ready, each with the name of its reference."""
    text, history = json.dumps(raw), MessageHistory.from_list(raw, dialect=dialect)
    wire = history.for_send(dialect)
    saved = pickle.dumps(raw)
    found: dict[str, tuple[str, Callable[[], object]]] = {
        "json.loads": ("", lambda: json.loads(text)),
        "deepcopy": ("", lambda: copy.deepcopy(wire)),
        "pickle of the list": ("", lambda: pickle.loads(pickle.dumps(raw)) if saved else None),
        "read": ("json.loads", lambda: MessageHistory.from_list(raw, dialect=dialect)),
        "send": ("deepcopy", lambda: history.for_send(dialect)),
        "pickle": ("pickle of the list", lambda: pickle.loads(pickle.dumps(history))),
    }
    if isinstance(dialect, Anthropic):
        broken = damaged(raw)
        found["read, 1 % damaged"] = ("json.loads", lambda: MessageHistory.from_list(broken))
        found["send to Chat Completions"] = ("deepcopy", lambda: history.for_send(OpenAIChat()))
    elif isinstance(dialect, OpenAIChat):
        found["send to Anthropic"] = ("deepcopy", lambda: history.for_send(Anthropic()))
    return {**found, **_peers(raw, dialect)} if has_peers(raw, dialect) else found


def has_peers(raw: Raw, dialect: Dialect[Any]) -> bool:
    """Return whether peers read such a list."""
    return isinstance(dialect, OpenAIChat) or (isinstance(dialect, Anthropic) and _is_typed(raw))


def _is_typed(raw: Raw) -> bool:
    """Return whether a list is one that the peers read: of texts, calls, results and thinking."""
    known = {"text", "tool_use", "tool_result", "thinking"}
    blocks = [block for message in raw if isinstance(message.get("content"), list) for block in message["content"]]
    blocks += [
        part
        for block in blocks
        if _is_result(block) and isinstance(block.get("content"), list)
        for part in block["content"]
    ]
    return all(message.get("role") in ("user", "assistant") and "content" in message for message in raw) and all(
        isinstance(block, dict) and block.get("type") in known for block in blocks
    )


def _typed(raw: Raw) -> Raw:
    """Write each content as blocks."""
    return [
        {**m, "content": [{"type": "text", "text": m["content"]}] if isinstance(m["content"], str) else m["content"]}
        for m in raw
    ]


def _listed(raw: Raw, dialect: Dialect[Any]) -> Raw:
    """Write a list as peers read it, in Chat Completions."""
    return raw if isinstance(dialect, OpenAIChat) else as_chat(_typed(raw))


def _peers(raw: Raw, dialect: Dialect[Any]) -> dict[str, tuple[str, Callable[[], object]]]:
    """Make those operations of peers ready that are installed; what each leaves out is on the page of all figures."""
    listed = _listed(raw, dialect)
    found: dict[str, tuple[str, Callable[[], object]]] = {}
    if find_spec("langchain_core") is not None:
        messages: Any = import_module("langchain_core.messages")
        read = messages.convert_to_messages(listed)
        found["langchain-core: read"] = ("json.loads", lambda: messages.convert_to_messages(listed))
        found["langchain-core: send"] = ("deepcopy", lambda: messages.convert_to_openai_messages(read))
        found["langchain-core: pickle"] = ("pickle of the list", lambda: pickle.loads(pickle.dumps(read)))
    if find_spec("litellm") is not None:
        mapping: Any = import_module("litellm.litellm_core_utils.prompt_templates.factory").anthropic_messages_pt
        options = {"model": "claude-sonnet-4-5", "llm_provider": "anthropic"}
        found["litellm: send to Anthropic"] = ("deepcopy", lambda: mapping(copy.copy(listed), **options))
    if find_spec("toolrepair") is not None and isinstance(dialect, Anthropic):
        repair: Any = import_module("toolrepair").repair
        broken = damaged(_typed(raw))
        strategy = {"format": "anthropic", "strategy": "synthesize"}
        found["tool-call-repair: 1 % damaged"] = ("json.loads", lambda: repair(broken, **strategy))
    if find_spec("pydantic_ai") is not None:
        adapter, own = _of_pydantic_ai(raw)
        body = adapter.dump_json(own)
        found["pydantic-ai: read its own JSON"] = ("json.loads", lambda: adapter.validate_json(body))
        found["pydantic-ai: pickle"] = ("pickle of the list", lambda: pickle.loads(pickle.dumps(own)))
    return found


def _of_pydantic_ai(raw: Raw) -> tuple[Any, Any]:
    """Return what pydantic-ai reads and writes its messages with, and a list as its messages."""
    adapter: Any = import_module("pydantic_ai.messages").ModelMessagesTypeAdapter
    return adapter, adapter.validate_python(MessageHistory.from_list(raw).for_send(PydanticAI()))


def timed(run: Callable[[], object]) -> float:
    """Return the seconds of one call, of as many as it takes to measure them."""
    calls = 1
    while True:
        gc.collect()
        start = process_time()
        for _ in range(calls):
            run()
        seconds = process_time() - start
        if seconds >= SHORTEST:
            return seconds / calls
        calls *= max(2, int(SHORTEST / max(seconds, 1e-6)))


def memory(raw: Raw, dialect: Dialect[Any]) -> dict[str, list[float]]:
    """Return how much memory a history takes, and what peers read, in that of the dicts."""
    text = json.dumps(raw)
    made: dict[str, Callable[[], object]] = {
        "memory": lambda: MessageHistory.from_list(json.loads(text), dialect=dialect)
    }
    if has_peers(raw, dialect):
        listed = json.dumps(_listed(raw, dialect))
        if find_spec("langchain_core") is not None:
            convert = import_module("langchain_core.messages").convert_to_messages
            made["langchain-core: memory"] = lambda: convert(json.loads(listed))
        if find_spec("pydantic_ai") is not None:
            adapter, own = _of_pydantic_ai(raw)
            body = adapter.dump_json(own)
            made["pydantic-ai: memory"] = lambda: adapter.validate_json(body)
    dicts = held(lambda: json.loads(text))
    return {name: [round(held(make) / dicts, 3)] for name, make in made.items()}


def held(make: Callable[[], object]) -> int:
    """Return how many bytes a value takes."""
    gc.collect()
    tracemalloc.start()
    kept = make()
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return size


def measured(raw: Raw, dialect: Dialect[Any], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Measure a list: for each operation the ratios to its reference, round by round."""
    ready = cases(raw, dialect)
    for _, run in ready.values():
        run()
    ratios: dict[str, list[float]] = {name: [] for name, (reference, _) in ready.items() if reference}
    gc.collect()
    gc.freeze()  # What the peers import is not looked at in each collection, which would take most of the time.
    for _ in range(rounds):
        seconds = {name: timed(run) for name, (_, run) in ready.items()}
        for name, found in ratios.items():
            found.append(round(seconds[name] / seconds[ready[name][0]], 3))
    gc.unfreeze()
    return {**ratios, **memory(raw, dialect)}


def generated() -> Iterator[tuple[str, Raw, Dialect[Any]]]:
    """Yield the generated sessions, and one of them in the own form of each other dialect."""
    for size in SIZES:
        for name, make in SHAPES.items():
            yield f"{name}, {size:,}", make(size), OpenAIChat() if name == "Chat Completions" else Anthropic()
        history = MessageHistory.from_list(SHAPES["Chat Completions"](size))
        for name, dialect in OWN_FORMS.items():
            yield f"{name}, {size:,}", history.for_send(dialect), dialect


def recorded(folder: Path) -> Iterator[tuple[str, Raw]]:
    """Yield the lists of messages in the JSON and JSONL files of a folder."""
    for path in sorted(folder.rglob("*.json*")):
        whole = path.read_text(encoding="utf-8")
        values = [json.loads(line) for line in whole.splitlines() if line.strip()] if path.suffix == ".jsonl" else []
        for n, value in enumerate(values or [json.loads(whole)], 1):
            raw = value if isinstance(value, list) else next(filter(_is_list, dict(value).values()), [])
            if _is_list(raw):
                yield f"{path.name} {n}", raw


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def rows(name: str, raw: Raw, found: dict[str, list[float]], dialect: Dialect[Any] | None) -> str:
    """Write one line for a list."""
    read, written = share_of_plain(raw, dialect)
    figures = ", ".join(f"{operation} {median(ratios):.2f}" for operation, ratios in found.items())
    return f"{name}: {figures}; read the short way {read:.0%}, written {written:.0%}"


def main(arguments: list[str]) -> int:
    """Measure and print; write what generated sessions gave."""
    logging.getLogger("message_history").addHandler(logging.NullHandler())
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # It would wait for a network otherwise.
    if arguments and (arguments[0] != "--data" or len(arguments) != 2):
        print(__doc__)
        return 2
    if arguments:
        for name, raw in recorded(Path(arguments[1])):
            dialect = dialect_of(raw)
            found = measured(raw, dialect) if len(raw) >= LEAST else {}
            print(rows(name, raw, found, dialect), flush=True)
        return 0
    cells = {}
    for name, raw, dialect in generated():
        cells[name] = measured(raw, dialect)
        print(rows(name, raw, cells[name], dialect), flush=True)
    facts = {**made(), "load": round(os.getloadavg()[-1], 1)}
    (FOLDER / "field.json").write_text(json.dumps({"made": facts, "cells": cells}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
