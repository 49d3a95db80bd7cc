"""What stands in the vectors is what becomes of them, and a judge that shares no code with the core finds it sound."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from message_history import AmbiguousCallError, InvariantError, MessageHistory, Policy, Repair, UnknownCallError
from message_history.core.turns.states import CallStateError
from message_history.dialects import Anthropic, OpenAIChat, OpenAIResponses
from tests.judges import chat_faults, faults, responses_faults
from tests.needs import needs_processes, reads_sources

pytestmark = reads_sources
Vector = dict[str, Any]

FOLDER: Final = Path(__file__).parent
FILES: Final = ("short", "broken", "random", "sequences")
LABEL: Final = re.compile(r"[TRH]\d?@\d")
RAISED: Final = {
    "ambiguous id": AmbiguousCallError,
    "unknown call": UnknownCallError,
    "state may not follow": CallStateError,
}
REPAIRED: Final = {"random": 0.6, "short": 0.5, "broken": 0.5, "sequences": 0.1}
"""At least this much of each file needs a repair."""


def vectors(name: str) -> list[Vector]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def codes(repairs: tuple[Repair, ...]) -> list[list[Any]]:
    return [[repair.code, repair.index, repair.source] for repair in repairs]


def read(vector: Vector) -> MessageHistory:
    return MessageHistory.from_list(vector["list"], policy=Policy(**vector["policy"]))


def walk(vector: Vector) -> MessageHistory:
    """Do the steps of a vector, and look at what each says of itself."""
    versions = [MessageHistory()]
    for step in vector["steps"]:
        raised = RAISED.get(step.get("raises", ""))
        if raised is not None:
            with pytest.raises(raised):
                after(step, versions)
            versions.append(versions[-1])
            continue
        versions.append(after(step, versions))
        assert [call.id for call in versions[-1].awaiting] == step["awaiting"]
        if "sent" in step:
            sent = versions[step["to"]] if "to" in step else versions[-2]
            assert sent.for_send() == vector["anthropic"][: step["sent"]]
    calls = [[each.call.id, each.state, each.position] for each in versions[-1].calls]
    assert calls == vector["calls"]
    return versions[-1]


def after(step: Vector, versions: list[MessageHistory]) -> MessageHistory:
    history = versions[-1]
    match step:
        case {"add": message}:
            return history.add(message)
        case {"reply": content}:
            reply = {"type": "message", "role": "assistant", "content": content}
            if "to" in step:
                return history.add_response(reply, sent=versions[step["to"]].as_sent(Anthropic()))
            return history.as_sent(Anthropic()).add_response(reply)
        case {"result": call, "content": content}:
            return history.add_tool_result(call, content, step.get("is_error", False))
        case {"call": call, "state": state}:
            return history.record_call(call, state, reason=step.get("reason", ""))
        case _:
            assert step["load"]
            return MessageHistory.from_list(history.to_list())


@pytest.mark.parametrize("name", FILES)
def test_every_vector_comes_out_as_it_says(name: str) -> None:
    for vector in vectors(name):
        if "refused" in vector:
            with pytest.raises(InvariantError) as caught:
                read(vector).for_send()
            assert codes(caught.value.violations) == vector["refused"]
            continue
        history = walk(vector) if "steps" in vector else read(vector)
        assert history.to_list() == vector["messages"], vector["name"]
        assert codes(history.repairs) == vector["repairs"], vector["name"]
        assert history.export().system == vector.get("anthropic_system")
        assert history.for_send() == vector["anthropic"]
        assert history.for_send(OpenAIChat()) == vector["openai_chat"]
        assert history.for_send(OpenAIResponses()) == vector["openai_responses"]


@pytest.mark.parametrize("name", FILES)
def test_every_vector_keeps_laws_1_to_4(name: str) -> None:
    for vector in vectors(name):
        if "refused" in vector:
            continue
        saved = [message for message in vector["messages"] if message["role"] != "system"]
        assert faults(saved, may_end_open="steps" in vector) == [], vector["name"]
        assert faults(vector["anthropic"]) == [], vector["name"]
        assert chat_faults(vector["openai_chat"]) == [], vector["name"]
        assert responses_faults(vector["openai_responses"]) == [], vector["name"]


@pytest.mark.parametrize("name", FILES)
def test_no_text_of_a_vector_is_lost_without_a_repair_that_says_so(name: str) -> None:
    for vector in vectors(name):
        came_in = [step for step in vector["steps" if "steps" in vector else "list"] if "raises" not in step]
        if "refused" in vector or any("load" in step for step in came_in):
            continue  # A load leaves the repairs behind.
        lost = labels(came_in) - labels(vector["messages"])
        dropped = sum(code.endswith("_dropped") for code, *_ in vector["repairs"])
        assert len(lost) <= dropped, vector["name"]


def labels(value: Any) -> set[str]:
    return set(LABEL.findall(json.dumps(value)))


@pytest.mark.parametrize(("name", "at_least"), [("short", 9), ("random", 50)])
def test_a_list_that_keeps_the_laws_comes_out_as_it_went_in(name: str, at_least: int) -> None:
    sound = [each for each in vectors(name) if each["form"] == "anthropic" and keeps_the_laws(each["list"])]
    assert len(sound) >= at_least
    for vector in sound:
        assert vector["repairs"] == [], vector["name"]
        assert LABEL.findall(json.dumps(vector["list"])) == LABEL.findall(json.dumps(vector["messages"]))


def keeps_the_laws(entries: list[Vector]) -> bool:
    typed = all(isinstance(entry["content"], list) and entry["role"] != "system" for entry in entries)
    return typed and not faults(entries)


def test_the_files_hold_what_they_should() -> None:
    assert {name: len(vectors(name)) for name in FILES} == {
        "short": 1_165,
        "broken": 36,
        "random": 1_000,
        "sequences": 182,
    }
    for name in FILES:
        found = vectors(name)
        assert len({vector["name"] for vector in found}) == len(found)
        assert all(vector["why"] for vector in found)
        repaired = sum(bool(vector.get("repairs") or "refused" in vector) for vector in found)
        assert repaired > REPAIRED[name] * len(found)


def test_the_judges_find_what_is_wrong_with_the_lists_as_they_came() -> None:
    sound = [each["name"] for each in vectors("broken") if each["form"] == "anthropic" and not faults(each["list"])]
    assert sound == ["reused ids, as blocks"]


@needs_processes
@pytest.mark.heavy
def test_the_vectors_are_current() -> None:
    script = FOLDER.parents[1] / "docs" / "write_vectors.py"
    checked = subprocess.run([sys.executable, script, "--check"], check=False, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
