"""The story that every sample tells, as far as its format can, and how providers' messages tell it."""

from __future__ import annotations

import json
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

from message_history.testing.conformance import STORY
from message_history.testing.conformance.examples import story_of

QUESTION, LOOKING, _, RESULT, ANSWER = (text for _, text in STORY)
told = story_of
THOUGHT = "I should read the file."
ARGUMENTS = {"path": "a.txt"}
TEXT_ARGUMENTS = json.dumps(ARGUMENTS)
FULL = ("user", "assistant", "call", "result", "answer")
TALK = ("user", "answer")


class Sample(NamedTuple):
    """A file: its format's name, its content, and what of the story is in it."""

    format: str
    data: bytes
    holds: tuple[str, ...] = FULL
    tool: str = "read_file"

    @property
    def story(self) -> list[tuple[str, str]]:
        """Return what is told in it."""
        texts = (QUESTION, LOOKING, self.tool, RESULT, ANSWER)
        kinds = ("user", "assistant", "call", "result", "assistant")
        return [(kind, text) for name, kind, text in zip(FULL, kinds, texts, strict=True) if name in self.holds]


def samples_in(package: str, path: Iterable[str]) -> tuple[Sample, ...]:
    """Give the samples in the modules of a package."""
    return tuple(sample for each in iter_modules(path, f"{package}.") for sample in import_module(each.name).SAMPLES)


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def value(whole: Any) -> bytes:
    return json.dumps(whole, indent=1).encode()


def text(written: str) -> dict[str, Any]:
    return {"type": "text", "text": written}


CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS}}
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": LOOKING, "tool_calls": [CHAT_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]
TOOL_USE = {"type": "tool_use", "id": "c1", "name": "read_file", "input": ARGUMENTS}
TOOL_RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": RESULT}
CLAUDE: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": [text(LOOKING), TOOL_USE]},
    {"role": "user", "content": [TOOL_RESULT]},
    {"role": "assistant", "content": [text(ANSWER)]},
]
GEMINI: list[Any] = [
    {"role": "user", "parts": [{"text": QUESTION}]},
    {
        "role": "model",
        "parts": [{"text": LOOKING}, {"functionCall": {"id": "c1", "name": "read_file", "args": ARGUMENTS}}],
    },
    {
        "role": "user",
        "parts": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": RESULT}}}],
    },
    {"role": "model", "parts": [{"text": ANSWER}]},
]


def linked(kind: str, messages: list[Any], **more: Any) -> list[dict[str, Any]]:
    """Wrap messages in rows that name their parents."""
    return [
        {"type": kind, "id": f"m{n}", "parentId": f"m{n - 1}" if n else None, "message": message, **more}
        for n, message in enumerate(messages)
    ]
