"""Whole conversations as each provider gets them, to be read by people: `golden/openai_chat/NAME.json`.

`UPDATE_GOLDEN=1 pytest tests/dialects/test_openai_chat_golden.py` writes the files anew; look at what has changed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from message_history import (
    ImageBlock,
    Message,
    MessageHistory,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.meta import Meta
from tests.dialects.chat import ALL

GOLDEN = Path(__file__).parent / "golden" / "openai_chat"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SHOWN = (
    "openai",
    "azure",
    "deepseek",
    "kimi",
    "claude",
    "ollama native",
    "google/gemma-2-9b-it",
    "meta-llama/Llama-3.1-8B-Instruct",
    "mistralai/Devstral-Small-2507",
    "portable",
)


def parallel_tools() -> MessageHistory:
    """Two calls at once, one of which nobody answered, and words that came in between."""
    history = MessageHistory().with_system("You know the weather.").add_user("Paris and Rome?")
    calls = [ToolUseBlock("call_0", "get_weather", {"city": city}) for city in ("Paris",)]
    history = history.add_assistant(
        [TextBlock("I look."), *calls, ToolUseBlock("call_1", "get_weather", {"city": "Rome"})]
    )
    history = history.add_tool_result("call_0", "sunny").add_user("Hurry, please.")
    history = history.add_assistant([ToolUseBlock("call_0", "get_weather", {"city": "Rome"})])
    return history.add_tool_result("call_0", "").add_assistant("Sunny in Paris.")


def image_from_a_tool() -> MessageHistory:
    """A tool that gives a picture, and one that fails."""
    shot = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    history = MessageHistory().add_user([TextBlock("Like this one?"), shot])
    history = history.add_assistant(
        [ToolUseBlock("call_a", "screenshot", {}), ToolUseBlock("call_b", "click", {"x": 1})]
    )
    return history.add_tool_result("call_a", [TextBlock("done"), shot]).add_tool_result("call_b", "no", is_error=True)


def system_in_the_middle() -> MessageHistory:
    """Words of the operator that came later."""
    history = MessageHistory().with_system("Be brief.").add_user("q").add_assistant("a")
    return history.add(Message.user(SystemBlock("Be kind."), TextBlock("And now?"))).add_assistant("b").add_user("c")


def reasoning() -> MessageHistory:
    """A model that thought in two turns, and one of another provider."""
    thought = ThinkingBlock("I need the time.", meta=Meta(issuer="openai_chat"))
    other = ThinkingBlock("Signed elsewhere.", "c2lnbmF0dXJl", meta=Meta(issuer="anthropic"))
    history = MessageHistory().add_user("Time?").add_assistant([thought, ToolUseBlock("call_a", "now", {})])
    return history.add_tool_result("call_a", "10:30").add_assistant([other, TextBlock("10:30.")]).add_user("Thanks.")


HISTORIES = (parallel_tools, image_from_a_tool, system_in_the_middle, reasoning)


def written(found: dict[str, dict[str, list[Any]]]) -> str:
    """Write one message, and one repair, a line."""
    lines = []
    for name, exported in found.items():
        for what, items in exported.items():
            written = ",\n".join(f"   {json.dumps(item, ensure_ascii=False)}" for item in items)
            lines.append(f'  "{what}": [\n{written}\n  ]' if items else f'  "{what}": []')
        lines[-2:] = [f' "{name}": {{\n{lines[-2]},\n{lines[-1]}\n }}']
    return "{\n" + ",\n".join(lines) + "\n}\n"


@pytest.mark.parametrize("make", HISTORIES, ids=lambda make: make.__name__)
def test_golden(make: Any) -> None:
    history = make()
    found = {}
    for name in SHOWN:
        exported = history.export(ALL[name])
        assert not check(exported.messages, ALL[name])
        found[name] = {"messages": exported.messages, "repairs": [str(repair) for repair in exported.repairs]}
    path = GOLDEN / f"{make.__name__}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written(found), encoding="utf-8")
    assert found == json.loads(path.read_text(encoding="utf-8"))
