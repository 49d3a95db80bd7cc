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
        n: their position.
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
            _add_prompt(collector, n, content, is_reply=role == "assistant")
    for message in body if isinstance(body, list) else [body]:
        if message is None or add_provider_message(collector, n, message, role):
            continue
        if isinstance(message, Mapping) and "role" in message:
            collector.note(n, f"a message of the unknown role {message['role']!r}", message)
        else:
            collector.add_blocks(n, role, blocks_of(message))


def _add_prompt(collector: Collector, n: int, content: list[Any], *, is_reply: bool) -> None:
    """Add a system prompt; a reply repeats that of its request, which came before all that was said."""
    if not is_reply:
        collector.add(n, {"role": "system", "content": content})
    elif collector.entries and all(entry["role"] != "system" for entry in collector.entries):
        collector.entries.insert(0, {"role": "system", "content": content})
        collector.places.insert(0, collector.places[0])


def _inside(body: Mapping[str, Any]) -> Any:
    """Return the messages in a request or reply; the same object when it holds none."""
    found = next((body[key] for key in _LISTS if isinstance(body.get(key), list)), None)
    if found is not None:
        return found
    for key, inner in (("choices", "message"), ("candidates", "content")):
        listed = body.get(key)
        if isinstance(listed, list) and listed and isinstance(listed[0], Mapping) and inner in listed[0]:
            return listed[0][inner]
    content = body.get("content")
    if isinstance(content, Mapping) and isinstance(content.get("parts"), list):
        return content
    texts = {"messages", "input", "contents"} & body.keys() if body.keys() & {"instructions", "model"} else ()
    return [body[key] for key in texts] if texts else body


def add_provider_message(collector: Collector, n: int, message: object, role: str = "user") -> bool:
    """Add a message of Chat Completions or of the Messages API, a content of Gemini's, or an item of Responses.

    Args:
        collector: what it is added to.
        n: its position.
        message: the message.
        role: whose a content of Gemini's without a role is.

    Returns:
        Whether it is one; if not, nothing is added.

    Complexity: linear in the message.
    """
    if not isinstance(message, Mapping):
        return False
    kind = message.get("type")
    message = _plain(message, role)
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
    elif message.get("role") == "tool" and _is_call(message.get("content")):
        collector.omit("definitions of tools")
    else:
        return add_chat_message(collector, n, message)
    return True


def _plain(message: Mapping[str, Any], role: str) -> Mapping[str, Any]:
    """Return a message with its role and its calls where Chat Completions has them, as far as it is like one of it."""
    more, content = message.get("additional_kwargs"), message.get("content")
    made: dict[str, Any] = {}
    if "role" not in message and isinstance(more, Mapping):
        made["role"] = role  # LangChain's, whose class says who speaks.
    if isinstance(more, Mapping) and not message.get("tool_calls") and more.get("tool_calls"):
        made["tool_calls"] = more["tool_calls"]
    asked = [each for each in content if _is_call(each)] if isinstance(content, list) else []
    if asked and isinstance(content, list):
        made |= {"role": "assistant", "tool_calls": asked, "content": [each for each in content if not _is_call(each)]}
    return {**message, **made} if made else message


def _is_call(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "function" and isinstance(part.get("function"), Mapping)


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
