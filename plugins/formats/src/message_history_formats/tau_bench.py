"""The results of tau-bench and tau2-bench: simulated conversations with their rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import OpenAIChat
from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    fit_items,
    item_fit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Collector, Document, Reading


def _is_result(item: Mapping[str, Any]) -> bool:
    return "task_id" in item and isinstance(item.get("traj"), list)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or not _is_result(item):
            collector.note(n, "an item that is not a result", item)
        else:
            for message in item["traj"]:
                collector.add(n, message)
            label = f"task {item['task_id']}, trial {item.get('trial', 0)}"
            id = str(item["task_id"])
            found.add(collector.conversation(OpenAIChat(), label=label if found else "", id=id, title=label))
    return found.reading()


TAU_BENCH: Final = Format(
    name="tau-bench",
    rank=730,
    title="tau-bench results",
    files="results/*.json",
    omits="rewards and information on the task",
    unwritten=OUTCOME,
    source="sierra-research/tau-bench: tau_bench/run.py, historical_trajectories",
    checked="2026-11-22",
    fit=item_fit(_is_result),
    read=_read,
    judged=NOTHING_JUDGED,
)


def _simulations(document: Document) -> list[Any]:
    about = document.object
    found = about.get("simulations")
    if found is None and "termination_reason" in about:
        # A run whose results are a folder keeps each simulation in a separate file.
        return [about]
    return found if isinstance(found, list) else []


def _is_simulation(item: Mapping[str, Any]) -> bool:
    return "task_id" in item and any(isinstance(item.get(key), list) for key in ("messages", "ticks"))


def _fit_2(document: Document) -> Fit:
    items = [item for item in _simulations(document)[:60] if isinstance(item, dict)]
    return fit_items(items, _is_simulation)


def _read_2(document: Document) -> Reading:
    found = Conversations()
    for n, item in enumerate(_simulations(document)):
        collector = found.collector()
        for message in item.get("messages") or _spoken(item.get("ticks") or []):
            _add(collector, n, message)
        label = f"task {item.get('task_id')}, trial {item.get('trial', 0)}"
        found.add(collector.conversation(BLOCKS, label=label if found else "", id=item.get("id"), title=label))
    return found.reading()


def _spoken(ticks: list[Any]) -> Iterator[Any]:
    """Yield the messages of a spoken simulation, in which both sides speak piece by piece, in ticks of a clock."""
    speaker, words = "", ""
    for tick in ticks:
        if not isinstance(tick, dict):
            yield tick
            continue
        for role, side in (("assistant", "agent"), ("user", "user")):
            piece = _piece(tick, side)
            calls, results = tick.get(f"{side}_tool_calls"), tick.get(f"{side}_tool_results")
            if (piece and speaker != role) or calls or results:
                if words:
                    yield {"role": speaker, "content": words}
                words = ""
            if piece:
                speaker, words = role, words + piece
            if calls:
                yield {"role": role, "content": words or None, "tool_calls": calls}
                words = ""
            yield from results or ()
    if words:
        yield {"role": speaker, "content": words}


def _piece(tick: Mapping[str, Any], side: str) -> str:
    """Return what one side says in a tick; of a user without text, it is what was understood."""
    chunk = tick.get(f"{side}_chunk")
    words = chunk.get("content") if isinstance(chunk, dict) else None
    words = words or tick.get(f"{side}_transcript")
    return words if isinstance(words, str) else ""


def _add(collector: Collector, n: int, message: Any) -> None:
    if not isinstance(message, dict):
        collector.note(n, "an entry that is not a message", message)
        return
    inner = message.get("tool_messages")
    if isinstance(inner, list):
        for each in inner:
            _add(collector, n, each)
        return
    if message.get("role") == "user" and message.get("tool_calls"):
        # The simulated user has tools of its own, which the agent does not see.
        collector.omit("calls of the simulated user")
        message = {key: value for key, value in message.items() if key != "tool_calls"}
    if message.get("role") == "tool" and message.get("requestor") == "user":
        collector.omit("results of the simulated user's calls")
    elif not add_chat_message(collector, n, message):
        collector.note(n, f"a message of the unknown role {message.get('role')!r}", message)


TAU2_BENCH: Final = Format(
    name="tau2-bench",
    rank=740,
    title="tau2-bench results",
    files="data/simulations/*.json, data/simulations/*/simulations/*.json",
    omits="rewards, tasks, costs, tools of the simulated user",
    unwritten=OUTCOME,
    source="sierra-research/tau2-bench: src/tau2/data_model/message.py, simulation.py",
    checked="2026-11-22",
    fit=_fit_2,
    read=_read_2,
    judged=NOTHING_JUDGED,
)
