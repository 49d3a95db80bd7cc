"""CrewAI: the output of a crew, and its log of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Collector,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    fit_items,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading


def _is_output(item: Any) -> bool:
    return isinstance(item, dict) and "agent" in item and "raw" in item and "description" in item


def _is_logged(item: Any) -> bool:
    return isinstance(item, dict) and {"task_name", "task", "agent", "status"} <= item.keys()


def _tasks(document: Document) -> list[tuple[int, Any]]:
    found = document.object.get("tasks_output")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _fit(document: Document) -> Fit:
    items = [item for _, item in _tasks(document)[:60] if isinstance(item, dict)]
    return fit_items(items, lambda item: _is_output(item) or _is_logged(item))


def _read(document: Document) -> Reading:
    found = Conversations()
    omitted = Collector()
    for n, task in _tasks(document):
        collector = found.collector()
        if _is_output(task):
            _add_output(collector, n, task)
        elif _is_logged(task) and task.get("output"):
            collector.add_blocks(n, "user", text(task["task"]))
            collector.add_blocks(n, "assistant", text(task["output"]))
        elif _is_logged(task):
            omitted.omit("starts of tasks")
            continue
        else:
            collector.note(n, "an entry that is not a task", task)
        name = task.get("name") or task.get("task_name") if isinstance(task, dict) else None
        found.add(collector.conversation(BLOCKS, label=f"task {n + 1}" if found else "", title=name))
    return found.reading(omitted)


def _add_output(collector: Collector, n: int, task: Mapping[str, Any]) -> None:
    messages = task.get("messages")
    if isinstance(messages, list) and messages:
        for message in messages:
            if not add_chat_message(collector, n, message):
                collector.note(n, "a message of an unknown role", message)
    else:
        collector.add_blocks(n, "user", text(task["description"]))
    last = collector.entries[-1] if collector.entries else None
    if last is None or last["role"] != "assistant":
        collector.add_blocks(n, "assistant", text(task["raw"]))


CREWAI: Final = Format(
    name="crewai",
    rank=510,
    title="CrewAI outputs of crews and logs of tasks",
    files="what `CrewOutput.model_dump_json()` and `output_log_file` write",
    omits="starts of tasks, expected outputs, summaries, counts of tokens",
    unwritten=OUTCOME,
    source="crewAIInc/crewAI: lib/crewai/src/crewai/tasks/task_output.py, utilities/file_handler.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
