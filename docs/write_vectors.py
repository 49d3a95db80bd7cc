"""Write tests/vectors: what must become of lists and of sequences of steps, for those who port the laws.

python docs/write_vectors.py           writes the files; docs/porting.md says how to read them
python docs/write_vectors.py --check   only tells whether they are current: exit code 1 if not
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

ROOT: Final = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from generated import write_or_check_all  # noqa: E402 - beside this script
from tests.vectors.lists import broken_lists, random_lists, short_lists  # noqa: E402
from tests.vectors.steps import named_sequences, random_sequences  # noqa: E402

from message_history import (  # noqa: E402
    AmbiguousCallError,
    InvariantError,
    MessageHistory,
    Policy,
    UnknownCallError,
)
from message_history.core.turns.states import CallStateError  # noqa: E402
from message_history.dialects import Anthropic, OpenAIChat, OpenAIResponses  # noqa: E402
from message_history.words import TITLES  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from message_history import Repair

FOLDER: Final = ROOT / "tests" / "vectors"
Vector = dict[str, Any]
RANDOM_LISTS: Final = 1_000
RANDOM_SEQUENCES: Final = 150


def outcome(history: MessageHistory) -> Vector:
    """Say what has become of a vector: the saved form, the repairs, and what three APIs are sent."""
    anthropic = history.export(Anthropic())
    beside = {"anthropic_system": anthropic.system} if anthropic.system is not None else {}
    return {
        "messages": history.to_list(),
        "repairs": written(history.repairs),
        **beside,
        "anthropic": anthropic.messages,
        "openai_chat": history.for_send(OpenAIChat()),
        "openai_responses": history.for_send(OpenAIResponses()),
    }


def written(repairs: Iterable[Repair]) -> list[list[Any]]:
    """Write repairs as their codes, the messages and the entries of the list; None where a repair has no entry."""
    return [[repair.code.value, repair.index, repair.source] for repair in repairs]


def why(repairs: Iterable[Repair]) -> str:
    """Say in words what was repaired."""
    return "; ".join(dict.fromkeys(TITLES[repair.code] for repair in repairs)) or "Nothing to repair"


def list_vector(name: str, form: str, policy: dict[str, str], entries: list[Any], reason: str = "") -> Vector:
    """Read a list, and say what must come of it.

    Args:
        name: what the list is.
        form: the dialect that it is written in.
        policy: the fields of the policy that are not the default.
        entries: the list.
        reason: what is wrong with it; what was repaired by default.
    """
    try:
        history = MessageHistory.from_list(entries, policy=Policy(**policy))  # type: ignore[arg-type]  # two choices
        came, repairs = outcome(history), history.repairs
    except InvariantError as error:
        came, repairs = {"refused": written(error.violations)}, error.violations
    reason = reason or why(repairs)
    return {"name": name, "why": reason, "form": form, "policy": policy, "list": entries, **came}


def sequence_vector(name: str, reason: str, steps: list[Vector]) -> Vector:
    """Do steps one by one, and say what must come of them.

    Args:
        name: what the sequence is.
        reason: what it shows; what was repaired by default.
        steps: the steps.
    """
    versions = [MessageHistory()]
    done = [_do(versions, step) for step in steps]
    history = versions[-1]
    calls = [[each.call.id, each.state.value, each.position] for each in history.calls]
    head = {"name": name, "why": reason or why(history.repairs), "steps": done, "calls": calls}
    return {**head, **outcome(history)}


def _do(versions: list[MessageHistory], step: Vector) -> Vector:
    """Do a step; say what it raised, or which calls wait after it and how many messages were sent before a reply."""
    sent: dict[str, int] = {}
    try:
        if "reply" in step:
            version = versions[step.get("to", len(versions) - 1)].as_sent(Anthropic())
            sent = {"sent": len(version.for_send())}
        versions.append(STEPS[next(iter(step))](versions, step))
    except (AmbiguousCallError, UnknownCallError, CallStateError) as error:
        versions.append(versions[-1])
        return {**step, "raises": RAISED[type(error)]}
    return {**step, **sent, "awaiting": [call.id for call in versions[-1].awaiting]}


def _reply(versions: list[MessageHistory], step: Vector) -> MessageHistory:
    response = {"type": "message", "role": "assistant", "content": step["reply"]}
    if "to" in step:
        return versions[-1].add_response(response, sent=versions[step["to"]].as_sent(Anthropic()))
    return versions[-1].as_sent(Anthropic()).add_response(response)


STEPS: Final[dict[str, Callable[[list[MessageHistory], Vector], MessageHistory]]] = {
    "add": lambda versions, step: versions[-1].add(step["add"]),
    "reply": _reply,
    "result": lambda versions, step: versions[-1].add_tool_result(
        step["result"], step["content"], step.get("is_error", False)
    ),
    "call": lambda versions, step: versions[-1].record_call(step["call"], step["state"], reason=step.get("reason", "")),
    "load": lambda versions, _: MessageHistory.from_list(versions[-1].to_list()),
}
RAISED: Final = {
    AmbiguousCallError: "ambiguous id",
    UnknownCallError: "unknown call",
    CallStateError: "state may not follow",
}


def pages() -> dict[Path, str]:
    """Write all files."""
    chance = Random(25)  # noqa: S311 - the same each time
    sequences = [*named_sequences(), *random_sequences(chance, RANDOM_SEQUENCES)]
    files = {
        "short": [list_vector(*each) for each in short_lists()],
        "broken": [list_vector(*each) for each in broken_lists()],
        "random": [list_vector(*each) for each in random_lists(chance, RANDOM_LISTS)],
        "sequences": [sequence_vector(*each) for each in sequences],
    }
    return {
        FOLDER / f"{name}.jsonl": "".join(f"{json.dumps(vector, ensure_ascii=False)}\n" for vector in vectors)
        for name, vectors in files.items()
    }


def main(arguments: list[str]) -> int:
    """Write, or check.

    Args:
        arguments: `--check`.

    Returns:
        The exit code.
    """
    logging.getLogger("message_history").addHandler(logging.NullHandler())
    return write_or_check_all(pages(), "write_vectors.py", check="--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
