"""Small conversations, with a planted word for each thing that a prompt must show."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Entry = dict[str, Any]
TOOLS: Final[list[Entry]] = [
    {
        "type": "function",
        "function": {
            "name": "lookup",
            "description": "Looks a city up.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "Its name."}},
                "required": [],
            },
        },
    }
]
"""The tools of every prompt; planted calls have other names, so that a name in the prompt is that of the call."""
PLANTED: Final = re.compile(r"zq(system|user|text|thought|call|value|result|name)\d\dq")
"""What planted words look like: nothing that a template escapes, trims or says itself."""
IMAGE: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A PNG of one pixel."""


def planted(kind: str, n: int = 1) -> str:
    """Make a planted word."""
    return f"zq{kind}{n:02}q"


def words(messages: Sequence[Entry]) -> Iterator[re.Match[str]]:
    """Find what is planted in messages, in their order."""
    return PLANTED.finditer(json.dumps(messages))


def system(n: int = 1) -> Entry:
    """Make a system message."""
    return {"role": "system", "content": planted("system", n)}


def user(n: int = 1, **keys: Any) -> Entry:
    """Make a user message."""
    return {"role": "user", "content": planted("user", n), **keys}


def says(n: int = 1, *, thought: int = 0) -> Entry:
    """Make an assistant message of text."""
    return {"role": "assistant", **_reasoning(thought), "content": planted("text", n)}


def thinks(message: Entry, n: int) -> Entry:
    """Put text and reasoning before the text of an assistant message, in its content."""
    before = f"{planted('text', n)}\n\n<think>\n{planted('thought', n)}\n</think>\n\n"
    return {**message, "content": before + message["content"]}


USUAL_ID: Final = "call{:05}"
"""Nine letters and digits, as some templates demand."""
LONG_ID: Final = "call_{:02}_with_a_long_id"
SHORT_ID: Final = "{}"


def calls(*numbers: int, text: int = 0, thought: int = 0, id: str = USUAL_ID) -> Entry:
    """Make an assistant message with calls; `text` and `thought` are the numbers of its text and thinking."""
    made = [
        {
            "id": id.format(n),
            "type": "function",
            "function": {"name": planted("call", n), "arguments": json.dumps({"city": planted("value", n)})},
        }
        for n in numbers
    ]
    content = planted("text", text) if text else ""
    return {"role": "assistant", **_reasoning(thought), "content": content, "tool_calls": made}


def result(n: int, *, id: str = USUAL_ID) -> Entry:
    """Make the result of a call."""
    return {"role": "tool", "tool_call_id": id.format(n), "content": planted("result", n)}


def step(*numbers: int, text: int = 0, thought: int = 0) -> list[Entry]:
    """Make calls and their results."""
    return [calls(*numbers, text=text, thought=thought), *map(result, numbers)]


def parts(kind: str) -> list[Entry]:
    """Make content of two parts."""
    return [{"type": "text", "text": planted(kind, n)} for n in (1, 2)]


def image() -> Entry:
    """Make a part that is an image."""
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}}


def _reasoning(thought: int) -> Entry:
    return {"reasoning_content": planted("thought", thought)} if thought else {}
