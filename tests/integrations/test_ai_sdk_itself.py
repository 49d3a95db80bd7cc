"""Messages with approvals that the AI SDK made by its own code are read with the states of their calls."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from message_history import CallState, MessageHistory, from_file
from message_history.integrations.ai_sdk import answer_approvals

NPM = os.environ.get("MESSAGE_HISTORY_NPM")
STATES = {
    "waiting": (CallState.WAITING, ""),
    "approved": (CallState.APPROVED, ""),
    "denied": (CallState.DENIED, "Too much."),
    "answered": (CallState.ANSWERED, ""),
    "refused": (CallState.DENIED, "Too much."),
}

pytestmark = pytest.mark.skipif(NPM is None, reason="MESSAGE_HISTORY_NPM names no folder with the clients for Node.js")


@pytest.fixture(scope="module")
def made() -> dict[str, list[Any]]:
    """Give the lists that the SDK makes, by what became of the call."""
    folder = Path(NPM or "")
    assert (folder / "node_modules" / "ai").is_dir(), "npm has not installed ai"
    script = Path(shutil.copy(Path(__file__).with_name("ai_sdk.mjs"), folder / "ai_sdk.mjs"))
    ran = subprocess.run(["node", script], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    lists: dict[str, list[Any]] = json.loads(ran.stdout)
    return lists


def read(messages: list[Any], folder: Path) -> MessageHistory:
    path = folder / "messages.json"
    path.write_text(json.dumps(messages))
    return from_file(path)[0].history()


@pytest.mark.parametrize("kind", ["", " for models"], ids=["interface", "models"])
@pytest.mark.parametrize("name", STATES)
def test_the_state_of_the_call_is_read(made: dict[str, list[Any]], name: str, kind: str, tmp_path: Path) -> None:
    history = read(made[f"{name}{kind}"], tmp_path)
    (record,) = history.calls
    assert (record.call.name, record.call.input) == ("pay", {"amount": 5})
    assert (record.state, record.detail) == STATES[name]
    if name == "answered":
        assert record.result is not None
        assert record.result.text == "paid"


@pytest.mark.parametrize("decision", ["approved", "denied"])
def test_what_a_person_decided_goes_back_as_the_sdk_writes_it(
    made: dict[str, list[Any]], decision: str, tmp_path: Path
) -> None:
    history = read(made["waiting"], tmp_path)
    reason = "Too much." if decision == "denied" else ""
    history = history.record_call("call_1", decision, reason=reason)
    assert answer_approvals(made["waiting"], history) == made[decision]
