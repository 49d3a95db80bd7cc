"""Logs of requests with their replies, as OpenHands and proxies write them: the reply is the last turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import NOTHING_JUDGED, OUTCOME, Format, item_fit
from message_history.formats.kit.many_conversations import Conversations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.base import Collector, Reading
    from message_history.formats.kit.document import Document

_OF_BATCHES: Final = frozenset({"custom_id", "recordId", "key"})


def _body(about: Any) -> dict[str, Any]:
    """Return what a request or a reply says; a log of HTTP has it under `body`."""
    found = about.get("body", about) if isinstance(about, dict) else None
    return found if isinstance(found, dict) else {}


def _request(item: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(item.get("messages"), list):
        return dict(item)
    if _outcome_of(item) is None:
        return _body(item.get("request"))
    taken = _input(item)
    return taken if isinstance(taken, dict) else {**item, "input": taken}


def _input(item: Mapping[str, Any]) -> Any:
    """Return what a record of a call says that it was given: messages, or the body of a request."""
    return item.get("input", item.get("inputs"))


def _outcome_of(item: Mapping[str, Any]) -> list[Any] | None:
    """Return what a record of a call gave for its list of messages, as tracers keep both; None for another record."""
    taken, output = _input(item), item.get("output")
    asked = taken.get("messages") if isinstance(taken, dict) else taken
    if "request" in item or not isinstance(asked, list) or not all(map(_is_entry, asked)):
        return None
    output = _chosen(output) or (output if isinstance(output, list) else [output])
    return output if output and all(_is_entry(each) and each.get("role") != "user" for each in output) else None


def _choices(reply: Any) -> list[Any]:
    """Return the choices of Chat Completions, as a reply has them or alone; none for anything else."""
    found = reply.get("choices") if isinstance(reply, dict) else reply
    if not isinstance(found, list) or not found or not isinstance(found[0], dict) or _is_entry(found[0]):
        return []
    return found


def _chosen(reply: Any) -> list[Any] | None:
    """Return the message of the first choice as a list; None without one."""
    first = next((each.get("message") for each in _choices(reply)), None)
    return [first] if isinstance(first, dict) else None


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("role", entry.get("type")), str)


def _asked(item: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages of a request, or None; a text of Responses is the user's."""
    request = _request(item)
    found = request.get("messages", request.get("input"))
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return found if isinstance(found, list) else None


def _answered(item: Mapping[str, Any]) -> list[Any] | None:
    """Return the entries of a reply, or None."""
    reply = _body(item.get("response"))
    if not reply and (output := _outcome_of(item)) is not None:
        return output
    if isinstance(reply.get("choices"), list):
        return _chosen(reply)
    if isinstance(reply.get("output"), list):
        return list(reply["output"])
    if reply.get("role") == "assistant" and isinstance(reply.get("content"), list):
        return [{"role": "assistant", "content": reply["content"]}]
    return None


def _is_request(item: Mapping[str, Any]) -> bool:
    return _OF_BATCHES.isdisjoint(item) and _asked(item) is not None


def _is_exchange(item: Mapping[str, Any]) -> bool:
    return _is_request(item) and _answered(item) is not None


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        request: dict[str, Any] = {}
        if isinstance(item, dict) and _asked(item) is not None:
            request = _request(item)
            _add(collector, n, item, request)
        else:
            collector.note(n, "an item without a request", item)
        label = f"exchange {n}" if found else ""
        found.add(collector.conversation(None, label=label, tools=request.get("tools")))
    return found.reading()


def _add(collector: Collector, n: int, item: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    system = request.get("system", request.get("instructions"))
    if system is not None:
        collector.add(n, {"role": "system", "content": system})
    for entry in [*(_asked(item) or ()), *(_answered(item) or ())]:
        collector.add(n, entry)
    collector.omit("requests without a reply", _answered(item) is None)
    choices = _choices(_body(item.get("response"))) or _choices(item.get("output"))
    collector.omit("other choices", len(choices[1:]))


EXCHANGES: Final = Format(
    name="exchanges",
    rank=930,
    title="Logs of requests with their replies (OpenHands' completions, proxies)",
    files="what `log_completions` writes, logs with `request` (or `messages`) and `response`, or `input` and `output`",
    omits="other choices, failed replies, counts of tokens, costs and times",
    unwritten=OUTCOME,
    source="OpenHands/software-agent-sdk: tests/fixtures/llm_data/llm-logs; the references of the APIs",
    checked="2026-11-22",
    fit=item_fit(_is_request, _is_exchange),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
    general=True,
)
"""The last turn of such a log is outside its messages, where a list or a request has no turn."""
