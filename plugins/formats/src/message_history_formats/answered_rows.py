"""Data sets of a question in one column: Nemotron's for post-training, xLAM's of calls, BFCL's without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Format,
    call,
    first_of,
    item_fit,
    json_of,
    objects_in,
    text,
)
from message_history.formats.message_lists import is_message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from message_history.formats.kit import Collector, Document, Reading


def _is_nemotron(item: Mapping[str, Any]) -> bool:
    asked = item.get("input")
    are_messages = isinstance(asked, list) and bool(asked) and all(map(is_message, asked))
    return are_messages and isinstance(item.get("output"), str)


def _add_nemotron(collector: Collector, n: int, item: Mapping[str, Any]) -> None:
    prompt = item.get("system_prompt")
    if isinstance(prompt, str) and prompt.strip():
        collector.add(n, {"role": "system", "content": prompt})
    for message in item["input"]:
        collector.add(n, message)
    collector.add(n, {"role": "assistant", "content": item["output"]})


def _is_xlam(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("query"), str) and _calls(item) is not None and "tools" in item


def _calls(item: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    answers = json_of(item.get("answers"))
    found = objects_in(answers)
    are_calls = all(isinstance(each.get("name"), str) and "arguments" in each for each in found)
    return found if are_calls and isinstance(answers, list) and len(found) == len(answers) else None


def _add_xlam(collector: Collector, n: int, item: Mapping[str, Any]) -> None:
    collector.add_blocks(n, "user", text(item["query"]))
    calls = [call(f"call_{at}", each["name"], each["arguments"]) for at, each in enumerate(_calls(item) or [], 1)]
    collector.add_blocks(n, "assistant", calls)


_OF_BFCL: Final = ("function", "involved_classes")
"""Where a question of BFCL has its tools."""


def _is_bfcl(item: Mapping[str, Any]) -> bool:
    turns = item.get("question")
    are_turns = isinstance(turns, list) and bool(turns) and all(isinstance(turn, list) for turn in turns)
    return (
        are_turns
        and all(is_message(each) for turn in turns or () for each in turn)
        and not item.keys().isdisjoint(_OF_BFCL)
    )


def _add_bfcl(collector: Collector, n: int, item: Mapping[str, Any]) -> None:
    for message in (each for turn in item["question"] for each in turn):
        collector.add(n, message)


def _reader(
    is_row: Callable[[Mapping[str, Any]], bool], add: Callable[[Collector, int, Mapping[str, Any]], None], dialect: Any
) -> Callable[[Document], Reading]:
    def read(document: Document) -> Reading:
        found = Conversations()
        for n, item in document.numbered_items:
            collector = found.collector()
            if isinstance(item, dict) and is_row(item):
                add(collector, n, item)
                id, label = item.get("id"), f"item {n}" if found else ""
                tools = [_with_schema(each) for each in objects_in(json_of(first_of(item, "tools", "function")))]
                found.add(collector.conversation(dialect, label=label, id=id, tools=tools))
            else:
                collector.note(n, "an item of another kind", item)
        return found.reading()

    return read


def _with_schema(tool: dict[str, Any]) -> dict[str, Any]:
    """Write the parameters of a tool as JSON Schema; xLAM names them, each with its type, and BFCL's are a `dict`."""
    named = tool.get("parameters")
    if isinstance(named, dict) and named.get("type") == "dict":
        return {**tool, "parameters": {**named, "type": "object"}}
    if (
        not isinstance(named, dict)
        or isinstance(named.get("type"), str)
        or not all(isinstance(each, dict) for each in named.values())
    ):
        return tool
    return {**tool, "parameters": {"type": "object", "properties": named}}


NEMOTRON: Final = Format(
    name="nemotron-sft",
    rank=970,
    title="Nemotron's data sets for post-training (`input`, `output`, `system_prompt`)",
    files="data sets: a JSON list, or a row in each line",
    omits="category, license and other columns of a row",
    unwritten=DATA_SET,
    source="huggingface.co: nvidia/Llama-Nemotron-Post-Training-Dataset",
    checked="2026-11-23",
    fit=item_fit(_is_nemotron),
    read=_reader(_is_nemotron, _add_nemotron, None),
    judged=NOTHING_JUDGED,
    by_line=True,
)
XLAM: Final = Format(
    name="xlam",
    rank=980,
    title="xLAM's data sets of calls (`query`, `answers`, `tools`)",
    files="data sets: a JSON list, or a row in each line",
    omits="nothing; ids are given to calls, for the format has none",
    unwritten=DATA_SET,
    source="huggingface.co: Salesforce/xlam-function-calling-60k",
    checked="2026-11-23",
    fit=item_fit(_is_xlam),
    read=_reader(_is_xlam, _add_xlam, BLOCKS),
    judged=NOTHING_JUDGED,
    by_line=True,
)
BFCL: Final = Format(
    name="bfcl",
    rank=985,
    title="Questions of the Berkeley Function-Calling Leaderboard; their answers are in other files",
    files="BFCL_v3_*.jsonl, BFCL_v4_*.json: a row in each line",
    omits="what a test begins with, and how it is judged",
    unwritten=DATA_SET,
    source="ShishirPatil/gorilla: berkeley-function-call-leaderboard/bfcl_eval/data",
    checked="2026-11-23",
    fit=item_fit(_is_bfcl),
    read=_reader(_is_bfcl, _add_bfcl, None),
    judged=NOTHING_JUDGED,
    by_line=True,
)
