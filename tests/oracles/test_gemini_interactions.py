"""Google's SDK as the judge: its types of steps read every export as the steps that they are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from message_history import MessageHistory
from message_history.dialects import GeminiInteractions
from message_history.dialects.gemini_interactions.schema import CONTENT, STEPS
from message_history.integrations.strategies import histories
from tests.dialects.test_gemini_interactions import WHOLE

pytest.importorskip("google.genai")

from google.genai import interactions as sdk
from pydantic import TypeAdapter

STEP: TypeAdapter[Any] = TypeAdapter(sdk.Step)
INTERACTIONS = GeminiInteractions()


def judge(wire: list[Any]) -> None:
    """Raise when the SDK does not take a list, does not know a part of it, or would send another."""
    for step in wire:
        taken = STEP.validate_python(step)
        assert "UNKNOWN" not in repr(taken)
        assert taken.model_dump(mode="json", by_alias=True, exclude_none=True) == step


def test_every_export_is_what_the_sdk_takes_and_sends() -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        judge(history.for_send(INTERACTIONS))

    law()
    judge(MessageHistory.from_list(WHOLE).for_send(INTERACTIONS))


def test_the_fields_are_those_of_the_sdk() -> None:
    for kind, fields in {**STEPS, **CONTENT}.items():
        name = "".join(word.capitalize() for word in kind.split("_")).replace("Url", "URL").replace("Mcp", "MCP")
        param = getattr(sdk, f"{name}{'Step' if kind in STEPS else 'Content'}Param")
        assert fields == param.__annotations__.keys(), kind


def test_the_sdks_objects_are_read() -> None:
    steps = [STEP.validate_python(step) for step in WHOLE]
    history = MessageHistory.from_list(steps)
    assert history.for_send(INTERACTIONS) == WHOLE
