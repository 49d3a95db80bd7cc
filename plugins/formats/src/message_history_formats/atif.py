"""The Agent Trajectory Interchange Format of Harbor and terminal-bench."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Format,
    blocks_of,
    call,
    item_fit,
    objects_in,
    result,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_MASKS: Final = ("train", "synthetic", "weight", "loss")
"""What a step says under `extra` of whether it is learned."""


def _is_trajectory(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("steps"), list) and str(item.get("schema_version")).startswith("ATIF-")


def _read(document: Document) -> Reading:
    found = Conversations()
    waiting = [item for _, item in document.numbered_items][::-1]
    while waiting:
        item = waiting.pop()
        collector = found.collector()
        if not isinstance(item, dict) or not isinstance(item.get("steps"), list):
            collector.note(0, "an item that is not a trajectory", item)
        else:
            for n, step in enumerate(item["steps"]):
                _add(collector, n, step)
            id = item.get("session_id") or item.get("trajectory_id")
            agent = item.get("agent") or {}
            tools = agent.get("tool_definitions")
            label = f"trajectory {item.get('trajectory_id') or id}" if found else ""
            found.add(collector.conversation(BLOCKS, label=label, id=id, tools=tools))
            waiting += (item.get("subagent_trajectories") or [])[::-1]
    return found.reading()


def _add(collector: Collector, n: int, step: Any) -> None:
    source = step.get("source") if isinstance(step, dict) else None
    blocks = _content(step.get("message")) if isinstance(step, dict) else []
    calls: list[dict[str, Any]] = []
    if source == "user":
        collector.add_blocks(n, "user", blocks)
    elif source == "system":
        collector.add(n, {"role": "system", "content": blocks})
    elif source == "agent":
        listed = objects_in(step.get("tool_calls"))
        calls = [call(each.get("tool_call_id"), each.get("function_name"), each.get("arguments")) for each in listed]
        extra = step.get("extra")
        masks = {key: extra[key] for key in _MASKS if key in extra} if isinstance(extra, dict) else {}
        blocks = [*thinking(step.get("reasoning_content")), *blocks, *calls]
        if masks and blocks:
            collector.add(n, {"role": "assistant", "content": blocks, **masks})
        else:
            collector.add_blocks(n, "assistant", blocks)
    else:
        collector.note(n, f"a step of the unknown source {source!r}", step)
        return
    _add_results(collector, n, (step.get("observation") or {}).get("results") or [], calls)


def _add_results(collector: Collector, n: int, results: list[Any], calls: list[dict[str, Any]]) -> None:
    """Add what a step observed: results that name their calls, and others, which answer those that are left."""
    named = {each["source_call_id"] for each in results if each.get("source_call_id")}
    shared = [_result_content(each) for each in results if not each.get("source_call_id")]
    waiting = [made.get("id") for made in calls if made.get("id") not in named]
    for each in results:
        if each.get("source_call_id"):
            collector.add_blocks(n, "user", [result(each["source_call_id"], _result_content(each))])
    if shared and waiting:
        collector.add_blocks(n, "user", [result(id, part) for id, part in _divided(waiting, shared)])
    else:
        # An observation that answers no call is what the agent gets next.
        collector.add_blocks(n, "user", [block for each in shared for block in _content(each)])


def _divided(waiting: list[Any], shared: list[Any]) -> list[tuple[Any, Any]]:
    """Give results that name no call to the calls of their step: what all have in common is of the last."""
    if len(waiting) == len(shared):
        return list(zip(waiting, shared, strict=True))
    whole = shared[0] if len(shared) == 1 else [block for each in shared for block in _content(each)]
    return [*((id, "") for id in waiting[:-1]), (waiting[-1], whole)]


def _result_content(about: Mapping[str, Any]) -> Any:
    content = about.get("content")
    if content is None and about.get("subagent_trajectory_ref"):
        content = f"[subagent trajectory: {about['subagent_trajectory_ref']}]"
    return _content(content) if isinstance(content, list) else content


def _content(content: object) -> list[Any]:
    if not isinstance(content, list):
        return blocks_of(content)
    return [block for part in content for block in _part(part)]


def _part(part: Any) -> list[Any]:
    source = part.get("source") if isinstance(part, dict) else None
    if isinstance(source, dict) and "path" in source:
        return [{"type": "image", "source": {"type": "url", "url": source["path"]}}]
    return blocks_of([part])


ATIF: Final = Format(
    name="atif",
    rank=750,
    title="ATIF trajectories (Harbor, terminal-bench)",
    files="trajectory.json",
    omits="metrics, what a step notes under `extra`; an output that commands of a step share is the result of the last",
    unwritten=OUTCOME,
    source="laude-institute/harbor: docs/rfcs/0001-trajectory-format.md, terminus_2.py; versions 1.0 to 1.7",
    checked="2026-11-23",
    fit=item_fit(_is_trajectory),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
