"""The trajectories of SWE-agent and mini-SWE-agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, OUTCOME, Collector, Fit, Format, Reading, blocks_of, calls_of, result
from message_history.formats.kit.chat_messages import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document


def _fit(document: Document) -> Fit:
    history = document.object.get("history")
    if not isinstance(history, list) or not all(isinstance(each, dict) and "role" in each for each in history):
        return Fit.NONE
    marked = any(each.keys() & {"agent", "message_type", "tool_call_ids", "is_demo"} for each in history)
    return Fit.CERTAIN if marked or "trajectory" in document.object else Fit.NEAR


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in enumerate(document.object["history"]):
        role = ROLES.get(str(message["role"]).lower())
        content = message.get("content")
        if role == "system":
            collector.add(n, {"role": "system", "content": blocks_of(content)})
        elif role == "tool":
            ids = message.get("tool_call_ids") or [message.get("tool_call_id")]
            for m, id in enumerate(ids):
                # One observation answers all calls of a step.
                inner = blocks_of(content) if isinstance(content, list) else content
                collector.add_blocks(n, "user", [result(id, inner if not m else "")])
        elif role == "assistant":
            collector.add_blocks(n, "assistant", [*blocks_of(content), *calls_of(message.get("tool_calls"))])
        elif role == "user":
            collector.add_blocks(n, "user", blocks_of(content))
        else:
            collector.note(n, f"a message of the unknown role {message['role']!r}", message)
    for key in ("trajectory", "info", "replay_config"):
        if key in document.object:
            collector.omit(f"{key}, which repeats the history" if key == "trajectory" else key)
    return collector.reading(BLOCKS, id=document.object.get("environment"))


SWE_AGENT: Final = Format(
    name="swe-agent",
    rank=700,
    title="SWE-agent trajectories",
    files="trajectories/**/*.traj",
    omits="the list `trajectory`, which repeats the history, the outcome and the configuration",
    unwritten=OUTCOME,
    source="SWE-agent/SWE-agent: sweagent/types.py, trajectories/demonstrations",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)


def _fit_mini(document: Document) -> Fit:
    found = document.object
    is_mini = str(found.get("trajectory_format")).startswith("mini-swe-agent")
    about = found.get("info")
    about = about if isinstance(about, dict) else {}
    if not isinstance(found.get("messages"), list):
        return Fit.NONE
    return Fit.CERTAIN if is_mini or {"exit_status", "submission"} <= about.keys() else Fit.NONE


def _read_mini(document: Document) -> Reading:
    collector = Collector()
    for n, message in enumerate(document.object["messages"]):
        if isinstance(message, dict) and message.get("role") == "exit":
            collector.omit("the end of the run")
        elif isinstance(message, dict) and isinstance(message.get("output"), list) and "object" in message:
            # A whole reply of the Responses API; what is sent again are its items.
            for item in message["output"]:
                collector.add(n, item)
        elif isinstance(message, dict):
            collector.add(n, _sent(message))
        else:
            collector.note(n, "an entry that is not a message", message)
    collector.omit("info")
    return collector.reading(None, id=document.object.get("instance_id"))


def _sent(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message without the program's notes."""
    return {key: value for key, value in message.items() if key not in ("extra", "timestamp")}


MINI_SWE_AGENT: Final = Format(
    name="mini-swe-agent",
    rank=710,
    title="mini-SWE-agent trajectories",
    files="*.traj.json",
    omits="the end of the run, costs, and notes on messages",
    unwritten=OUTCOME,
    source="SWE-agent/mini-swe-agent: src/minisweagent/agents/default.py, run/utils/save.py",
    checked="2026-11-22",
    fit=_fit_mini,
    read=_read_mini,
)
