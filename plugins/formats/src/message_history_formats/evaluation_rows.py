"""What evaluations sampled: OpenAI's evals, and the samples of lm-evaluation-harness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Format,
    item_fit,
    json_of,
)
from message_history.formats.message_lists import is_message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from message_history.formats.kit import Document, Reading


def _messages(prompt: Any) -> list[Any]:
    """Return the messages of a prompt; a mere text is the user's, and a chat may be text in a list."""
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str):
        prompt = prompt[0]
    found = json_of(prompt) if isinstance(prompt, str) else prompt
    if isinstance(found, list) and found and all(map(is_message, found)):
        return found
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) and prompt.strip() else []


def _of_evals(item: Mapping[str, Any]) -> tuple[list[Any], Any]:
    data = item.get("data")
    if item.get("type") != "sampling" or not isinstance(data, dict):
        return [], None
    sampled = data.get("sampled")
    return _messages(data.get("prompt")), sampled[0] if isinstance(sampled, list) and sampled else sampled


def _of_harness(item: Mapping[str, Any]) -> tuple[list[Any], Any]:
    arguments, replies = item.get("arguments"), item.get("resps")
    first = arguments.get("gen_args_0") if isinstance(arguments, dict) else None
    if "doc_id" not in item or not isinstance(first, dict):
        return [], None
    while isinstance(replies, list):
        replies = replies[0] if replies else None
    return _messages(first.get("arg_0")), replies


_OF_RUNS: Final = ("spec", "final_report")
"""What the first and the last line of a run hold."""


def _is_event(item: Mapping[str, Any]) -> bool:
    return (len(item) == 1 and not item.keys().isdisjoint(_OF_RUNS)) or {
        "run_id",
        "event_id",
        "type",
        "data",
    } <= item.keys()


def _reader(
    is_row: Callable[[Mapping[str, Any]], bool],
    exchange: Callable[[Mapping[str, Any]], tuple[list[Any], Any]],
    id: str,
    other: str,
) -> Callable[[Document], Reading]:
    def read(document: Document) -> Reading:
        found = Conversations()
        others = found.collector()
        for n, item in document.numbered_items:
            asked, answer = exchange(item) if isinstance(item, dict) else ([], None)
            if not isinstance(item, dict) or not is_row(item):
                others.note(n, "an item of another kind", item)
                continue
            if not asked or not isinstance(answer, str):
                others.omit(other)
                continue
            collector = found.collector()
            for message in [*asked, {"role": "assistant", "content": answer}]:
                collector.add(n, message)
            label = f"item {n}" if found else ""
            found.add(collector.conversation(None, label=label, id=str(item.get(id, ""))))
        return found.reading(others)

    return read


OPENAI_EVALS: Final = Format(
    name="openai-evals",
    rank=1020,
    title="Events of OpenAI's evals (`oaieval`)",
    files="*.jsonl next to a run of oaieval",
    omits="events that sampled nothing, and all but the first of several samples",
    unwritten=OUTCOME,
    source="openai/evals: evals/record.py",
    checked="2026-11-23",
    fit=item_fit(_is_event, lambda item: item.get("type") == "sampling"),
    read=_reader(_is_event, _of_evals, "sample_id", "events that sampled nothing"),
    judged=NOTHING_JUDGED,
)
LM_EVAL: Final = Format(
    name="lm-eval",
    rank=1030,
    title="Samples of lm-evaluation-harness (`--log_samples`)",
    files="samples_*.jsonl",
    omits="targets and scores, and all but the first of several replies",
    unwritten=OUTCOME,
    source="EleutherAI/lm-evaluation-harness: lm_eval/evaluator.py, loggers/evaluation_tracker.py",
    checked="2026-11-23",
    fit=item_fit(lambda item: bool(_of_harness(item)[0])),
    read=_reader(lambda item: "doc_id" in item, _of_harness, "doc_id", "samples without a reply in words"),
    judged=NOTHING_JUDGED,
    by_line=True,
)
