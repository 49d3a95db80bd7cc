"""The Agent Trajectory Interchange Format of Harbor and terminal-bench."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history import ImageBlock, TextBlock
from message_history.core.values.json_values import thaw
from message_history_compile.errors import CannotCompileError
from message_history_compile.targets.base import Sample, Settings, Target, features_of

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history_compile.turns import Turn

_SOURCES: Final = {"system": "system", "user": "user", "assistant": "agent"}


def _row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    steps: list[dict[str, Any]] = []
    for turn in sample.turns:
        if turn.role == "tool" and steps:
            steps[-1].setdefault("observation", {"results": []})["results"].append(_result(turn))
        else:
            steps.append({"step_id": len(steps) + 1, **_step(turn)})
    agent: dict[str, Any] = {"name": sample.agent or "unknown", "version": "unknown"}
    if sample.tools:
        agent["tool_definitions"] = sample.tools
    return {"schema_version": "ATIF-v1.7", "agent": agent, "steps": steps}


def _step(turn: Turn) -> dict[str, Any]:
    step: dict[str, Any] = {"source": _SOURCES[turn.role], "message": _content(turn)}
    if turn.reasoning:
        step["reasoning_content"] = turn.reasoning
    if turn.calls:
        step["tool_calls"] = [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": call.input} for call in turn.calls
        ]
    if turn.synthetic or turn.masked:
        step["extra"] = {"synthetic": True, "train": False} if turn.synthetic else {"train": False}
    return step


def _result(turn: Turn) -> dict[str, Any]:
    result: dict[str, Any] = {"source_call_id": turn.call_id, "content": _content(turn)}
    extra = {key: True for key, value in (("is_error", turn.is_error), ("synthetic", turn.synthetic)) if value}
    if turn.synthetic:
        extra["train"] = False
    return {**result, "extra": extra} if extra else result


def _content(turn: Turn) -> Any:
    return [_part(part) for part in turn.parts] if turn.parts else turn.text


def _part(part: Block) -> dict[str, Any]:
    if isinstance(part, TextBlock):
        return {"type": "text", "text": part.text}
    source = thaw(part.source) if isinstance(part, ImageBlock) else {}
    if not isinstance(source.get("url"), str):
        raise CannotCompileError("media", "an image that is not at a URL")
    media_type = source.get("media_type", "image/png")
    return {"type": "image", "source": {"media_type": media_type, "path": source["url"]}}


def _receipt(sample: Sample, receipt: dict[str, Any]) -> dict[str, Any]:
    del sample
    return {"extra": {"receipt": receipt}}


ATIF: Final = Target(
    name="atif",
    title="ATIF trajectories (Harbor, terminal-bench)",
    row=_row,
    receipt=_receipt,
    id_key="session_id",
    learns=False,
    tells=True,
    features=features_of(schema_version="string", session_id="string", agent="json", steps="list", extra="json"),
    media=frozenset({"image in a user message", "image in a result"}),
    source="laude-institute/harbor: harbor/models/trajectories (0.25), docs/rfcs/0001-trajectory-format.md",
)
