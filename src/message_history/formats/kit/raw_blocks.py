"""Blocks as plain dicts in the form of the Messages API, which has a place for all that programs record."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.core.turns.stub_results import NO_ERROR
from message_history.dialects import Anthropic

BLOCKS: Final = Anthropic(prefill=True, system_in_list=True, binds_thinking=False)
"""The dialect of these blocks, as a transcript has it: it may end with the assistant."""


def text(written: object) -> list[dict[str, Any]]:
    """Make a block of text; none for blank text."""
    return [{"type": "text", "text": written}] if isinstance(written, str) and written.strip() else []


def thinking(written: object, signature: object = None) -> list[dict[str, Any]]:
    """Make a block of thinking; none when there is nothing in it."""
    has_text = isinstance(written, str) and bool(written.strip())
    if not has_text and not (isinstance(signature, str) and signature):
        return []
    block = {"type": "thinking", "thinking": written if isinstance(written, str) else ""}
    return [{**block, "signature": signature} if isinstance(signature, str) and signature else block]


def call(id: object, name: object, arguments: object) -> dict[str, Any]:
    """Make a call; arguments that are JSON text are parsed, and what cannot be is kept."""
    made: dict[str, Any] = {"type": "tool_use", "name": name, "input": arguments_of(arguments)}
    return {**made, "id": id} if isinstance(id, str) and id else made


def arguments_of(arguments: object) -> Any:
    """Read the arguments of a call: an object, or the JSON text of one."""
    if arguments is None or arguments == "":
        return {}
    if isinstance(arguments, Mapping):
        return arguments
    if isinstance(arguments, str):
        parsed = json_of(arguments)
        return parsed if isinstance(parsed, dict) else {"_raw": arguments}
    return {"_raw": json_text(arguments)}


def result(id: object, content: object, *, is_error: object = False) -> dict[str, Any]:
    """Make a result; content that is neither text nor a list of blocks becomes JSON text."""
    if content is None:
        content = ""
    elif not isinstance(content, str) and not _are_blocks(content):
        content = json_text(content)
    made: dict[str, Any] = {"type": "tool_result", "content": content}
    if isinstance(id, str) and id:
        made["tool_use_id"] = id
    return {**made, "is_error": True} if is_error is True else made


def state_result(id: object, state: str, why: object = None) -> dict[str, Any]:
    """Make the result of a call that has none, which says in our own words in which state the call is, and why."""
    written = DEFAULT_POLICY.stub_content(state, why if isinstance(why, str) else "")
    return result(id, written, is_error=state not in NO_ERROR)


def image(url: object) -> dict[str, Any]:
    """Make an image of a URL, which may hold the data itself."""
    if isinstance(url, str) and url.startswith("data:") and ";base64," in url:
        kind, _, data = url.removeprefix("data:").partition(";base64,")
        return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    return {"type": "image", "source": {"type": "url", "url": str(url)}}


def image_of_bytes(kind: object, numbers: object) -> dict[str, Any]:
    """Make an image of its bytes as a list of numbers; the name of its kind where they are not there."""
    try:
        data = base64.b64encode(bytes(numbers if isinstance(numbers, list) else [])).decode()
    except (TypeError, ValueError):
        data = ""
    if not data:
        return {"type": "text", "text": "[an image]"}
    return image(f"data:image/{str(kind).lower()};base64,{data}")


def objects_in(found: object) -> list[dict[str, Any]]:
    """Return the objects of what should be a list of them; no objects of anything else."""
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def text_of(content: object) -> str:
    """Return the text of content that is a text or a list of parts with text."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return text_of(content.get("text") or content.get("content") or "")
    return "".join(map(text_of, content)) if isinstance(content, list | tuple) else ""


def json_text(value: object) -> str:
    """Write a JSON value as text; a text stays as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def json_of(written: object) -> Any:
    """Read JSON text; None for text that is not JSON, or nests too deep. What is not text is returned unchanged."""
    try:
        return json.loads(written) if isinstance(written, str) else written
    except (ValueError, RecursionError):
        return None


def _are_blocks(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(item, Mapping) and item.get("type") in ("text", "image", "document") for item in content)
    )
