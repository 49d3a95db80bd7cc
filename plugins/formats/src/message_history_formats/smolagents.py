"""The memory of smolagents: the steps of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Collector,
    Fit,
    Format,
    Reading,
    blocks_of,
    calls_of,
    fit_items,
    json_text,
    result,
    text,
)
from message_history.formats.kit.document import INSPECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document


_OF_ACTIONS: Final = frozenset({"observations", "model_output", "tool_calls"})
_OUTPUT: Final = {"output"}


def _steps(document: Document) -> list[tuple[int, Any]]:
    found = document.object.get("steps")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _is_action(step: Mapping[str, Any]) -> bool:
    # A live step has no keys for what is None.
    return "step_number" in step and not _OF_ACTIONS.isdisjoint(step)


def _is_step(step: Mapping[str, Any]) -> bool:
    is_task = "task" in step and isinstance(step["task"], str) and "agent" not in step
    return _is_action(step) or is_task or "plan" in step or "system_prompt" in step or step.keys() == _OUTPUT


def _fit(document: Document) -> Fit:
    steps = [step for _, step in _steps(document)[:INSPECTED] if isinstance(step, dict)]
    return fit_items(steps, _is_step, _is_action, is_common=True)


def _read(document: Document) -> Reading:
    collector = Collector()
    answered = False
    for n, step in _steps(document):
        if not isinstance(step, dict) or not _is_step(step):
            collector.note(n, "an entry that is not a step", step)
            continue
        if not collector.entries:
            collector.add_blocks(n, "system", _prompt(step, document))
        if _is_action(step):
            _add_action(collector, n, step)
        elif step.keys() == _OUTPUT:
            collector.add_blocks(n, "assistant", [] if answered else text(json_text(step["output"])))
        else:
            collector.add_blocks(n, "user", text(step.get("task")))
            collector.add_blocks(n, "assistant", text(step.get("plan")))
        answered = step.get("is_final_answer") is True and step.get("action_output") is not None
        if step.get("model_input_messages"):
            collector.omit("what models got, which repeats the steps")
    return collector.reading(BLOCKS)


def _prompt(step: Mapping[str, Any], document: Document) -> list[Any]:
    """Return the system prompt: a separate step, or what the first model got."""
    if isinstance(step.get("system_prompt"), str):
        return text(step["system_prompt"])
    inputs = [each.get("model_input_messages") for _, each in _steps(document) if isinstance(each, dict)]
    first = next((each for each in inputs if isinstance(each, list) and each), [])
    prompts = [each for each in first if isinstance(each, dict) and each.get("role") == "system"]
    return blocks_of(prompts[0].get("content")) if prompts else []


def _add_action(collector: Collector, n: int, step: Mapping[str, Any]) -> None:
    calls = calls_of(step.get("tool_calls"))
    collector.add_blocks(n, "assistant", [*blocks_of(step.get("model_output")), *calls])
    error = step.get("error")
    problem = (error.get("message") if isinstance(error, dict) else json_text(error)) if error else None
    found = "\n".join(each for each in (step.get("observations"), problem) if isinstance(each, str) and each)
    if calls and found:
        # What all calls of a step gave is one text.
        collector.add_blocks(n, "user", [result(calls[0].get("id"), found, is_error=error is not None)])
    else:
        collector.add_blocks(n, "user", text(found))
    if step.get("is_final_answer") is True and step.get("action_output") is not None:
        collector.add_blocks(n, "assistant", text(json_text(step["action_output"])))


SMOLAGENTS: Final = Format(
    name="smolagents",
    rank=620,
    title="smolagents: steps of an agent's memory",
    files="what `agent.memory.get_full_steps()` and `RunResult.dict()` give",
    omits="what models got (it repeats the steps), images, counts of tokens",
    unwritten=OUTCOME,
    source="huggingface/smolagents: src/smolagents/memory.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
