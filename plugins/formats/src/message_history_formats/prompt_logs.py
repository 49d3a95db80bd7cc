"""Prompts with their replies, as tools log them: `llm logs --json`, and the results of promptfoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Fit,
    Format,
    item_fit,
    json_of,
    objects_in,
    result,
    text,
)
from message_history.formats.kit.raw_blocks import call
from message_history.formats.message_lists import is_message
from message_history_formats.provider_messages import add_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading


def _is_llm_row(item: Mapping[str, Any]) -> bool:
    return {"prompt", "response", "conversation_id", "model"} <= item.keys()


def _read_llm(document: Document) -> Reading:
    """Read each conversation: its turns are rows of its id, in their order, and the newest comes first in the log."""
    found = Conversations()
    others = found.collector()
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for n, row in document.numbered_items:
        if isinstance(row, dict) and _is_llm_row(row):
            groups.setdefault(str(row["conversation_id"]), []).append((n, row))
        else:
            others.note(n, "a row that is not a reply", row)
    for id, rows in groups.items():
        collector = found.collector()
        for n, row in sorted(rows, key=lambda each: str(each[1].get("datetime_utc"))):
            _add_llm(collector, n, row)
        title = rows[0][1].get("conversation_name")
        found.add(collector.conversation(BLOCKS, label=f"conversation {id}" if found else "", id=id, title=title))
    return found.reading(others)


def _add_llm(collector: Collector, n: int, row: Mapping[str, Any]) -> None:
    system = row.get("system")
    if isinstance(system, str) and system.strip() and not collector.entries:
        collector.add(n, {"role": "system", "content": system})
    results = [result(each.get("tool_call_id"), each.get("output")) for each in objects_in(row.get("tool_results"))]
    collector.add_blocks(n, "user", [*results, *text(row.get("prompt"))])
    asked = [call(c.get("tool_call_id"), c.get("name"), c.get("arguments")) for c in objects_in(row.get("tool_calls"))]
    collector.add_blocks(n, "assistant", [*text(row.get("response")), *asked])
    collector.omit("attachments", len(objects_in(row.get("attachments"))))


def _results(document: Document) -> list[Any]:
    """Return the results of promptfoo: in an object of its own since version 2, and in a list of them before."""
    found = document.object.get("results")
    found = found.get("results") if isinstance(found, dict) else found
    return found if isinstance(found, list) else []


def _is_result(item: Any) -> bool:
    prompt = item.get("prompt") if isinstance(item, dict) else None
    return isinstance(prompt, dict) and isinstance(prompt.get("raw"), str) and "response" in item


def _fit_promptfoo(document: Document) -> Fit:
    results = _results(document)
    return Fit.CERTAIN if results and all(map(_is_result, results[:60])) else Fit.NONE


def _read_promptfoo(document: Document) -> Reading:
    found = Conversations()
    for n, item in enumerate(_results(document)):
        collector = found.collector()
        if not _is_result(item):
            collector.note(n, "a result without a prompt", item)
            continue
        raw = item["prompt"]["raw"]
        asked = json_of(raw) if raw[:1] in ("[", "{") else None
        is_list = isinstance(asked, list) and bool(asked) and all(map(is_message, asked))
        add_body(collector, n, asked if is_list or isinstance(asked, dict) else raw, "user")
        reply = item["response"].get("output") if isinstance(item["response"], dict) else item["response"]
        add_body(collector, n, reply, "assistant")
        found.add(collector.conversation(BLOCKS, label=f"result {n}" if found else "", id=item.get("id")))
    return found.reading()


LLM_LOGS: Final = Format(
    name="llm-logs",
    rank=690,
    title="Logs of the tool llm (`llm logs --json`)",
    files="what `llm logs --json` prints",
    omits="attachments, options, the provider's own JSON",
    unwritten=OUTCOME,
    source="simonw/llm: docs/logging.md, llm/cli.py",
    checked="2026-11-23",
    fit=item_fit(_is_llm_row),
    read=_read_llm,
    judged=NOTHING_JUDGED,
)
PROMPTFOO: Final = Format(
    name="promptfoo",
    rank=1040,
    title="Results of promptfoo",
    files="what `promptfoo eval -o results.json` and `promptfoo export eval` write",
    omits="assertions, scores, variables",
    unwritten=OUTCOME,
    source="promptfoo/promptfoo: src/types/index.ts (`EvaluateResult`)",
    checked="2026-11-23",
    fit=_fit_promptfoo,
    read=_read_promptfoo,
    judged=NOTHING_JUDGED,
)
