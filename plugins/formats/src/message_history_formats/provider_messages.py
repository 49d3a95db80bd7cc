"""Requests and replies of the providers, as logs record them: their messages, whichever API's they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    add_chat_message,
    blocks_of,
    call,
    first_of,
    image,
    result,
    text,
    text_of,
    thinking,
)
from message_history_formats.otel import add_otel_message, is_otel_message

if TYPE_CHECKING:
    from message_history.formats.kit import Collector

_LISTS: Final = ("messages", "contents", "input", "output")
_SYSTEM: Final = ("system", "instructions", "systemInstruction", "system_instruction")


def add_body(collector: Collector, n: int, body: object, role: str) -> None:
    """Add the messages of a request or of a reply.

    Args:
        collector: what they are added to.
        n: where they stand.
        body: the request, the reply, a message, a list of messages or a text.
        role: whose a text is: `user` in what goes in, `assistant` in what comes out.

    Complexity: linear in the body.
    """
    if isinstance(body, Mapping):
        config = body.get("config")
        prompt = first_of({**config, **body} if isinstance(config, Mapping) else body, *_SYSTEM)
        body = _inside(body)
        if prompt is not None and isinstance(body, list):
            content = _gemini_blocks(prompt) if isinstance(prompt, Mapping) and "parts" in prompt else blocks_of(prompt)
            collector.add(n, {"role": "system", "content": content})
    for message in body if isinstance(body, list) else [body]:
        if message is None or add_provider_message(collector, n, message, role):
            continue
        if isinstance(message, Mapping) and "role" in message:
            collector.note(n, f"a message of the unknown role {message['role']!r}", message)
        else:
            collector.add_blocks(n, role, blocks_of(message))


def _inside(body: Mapping[str, Any]) -> Any:
    """Return the messages in a request or reply; the same object when it holds none."""
    found = next((body[key] for key in _LISTS if isinstance(body.get(key), list)), None)
    if found is not None:
        return found
    for key, inner in (("choices", "message"), ("candidates", "content")):
        listed = body.get(key)
        if isinstance(listed, list) and listed and isinstance(listed[0], Mapping) and inner in listed[0]:
            return listed[0][inner]
    texts = {"messages", "input"} & body.keys() if body.keys() & {"instructions", "model"} else ()
    return [body[key] for key in texts] if texts else body


def add_provider_message(collector: Collector, n: int, message: object, role: str = "user") -> bool:
    """Add a message of Chat Completions or of the Messages API, a content of Gemini's, or an item of Responses.

    Args:
        collector: what it is added to.
        n: where it stands.
        message: the message.
        role: whose a content of Gemini's without a role is.

    Returns:
        Whether it is one; nothing is added when it is none.

    Complexity: linear in the message.
    """
    if not isinstance(message, Mapping):
        return False
    kind = message.get("type")
    if is_otel_message(message):
        add_otel_message(collector, n, message)
    elif isinstance(message.get("parts"), list):
        speaker = "assistant" if message.get("role", role) in ("model", "assistant") else "user"
        collector.add_blocks(n, speaker, _gemini_blocks(message))
    elif kind == "function_call":
        made = call(first_of(message, "call_id", "id"), message.get("name"), message.get("arguments"))
        collector.add_blocks(n, "assistant", [made])
    elif kind == "function_call_output":
        output = message.get("output")
        content = blocks_of(output) if isinstance(output, list) else output
        collector.add_blocks(n, "user", [result(message.get("call_id"), content)])
    elif kind == "reasoning" and "role" not in message:
        written = "\n".join(filter(None, map(text_of, (message.get("summary"), message.get("content")))))
        collector.add_blocks(n, "assistant", thinking(written))
    else:
        return add_chat_message(collector, n, message)
    return True


def _gemini_blocks(content: Mapping[str, Any]) -> list[Any]:
    return [block for part in content["parts"] for block in _gemini_block(part)]


def _gemini_block(part: Any) -> list[Any]:
    if not isinstance(part, Mapping):
        return blocks_of(part)
    made = first_of(part, "functionCall", "function_call")
    found = first_of(part, "functionResponse", "function_response")
    data = first_of(part, "inlineData", "inline_data")
    if isinstance(made, Mapping):
        return [call(first_of(made, "id", "name"), made.get("name"), made.get("args"))]
    if isinstance(found, Mapping):
        return [result(first_of(found, "id", "name"), found.get("response"))]
    if isinstance(data, Mapping):
        media = first_of(data, "mimeType", "mime_type")
        return [image(f"data:{media};base64,{data.get('data')}")]
    if "text" in part:
        return thinking(part["text"]) if part.get("thought") is True else text(part["text"])
    return [{"type": "part", **part}]
