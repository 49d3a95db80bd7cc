"""The logs that Copilot Chat in VS Code exports from its debug view: every request, with its reply."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, final

from attrs import define

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Fit,
    Format,
    calls_of,
    image,
    result,
    text,
    text_of,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Collector, Document, Reading

_ROLES: Final = ("system", "user", "assistant", "tool")
"""The roles by their numbers."""
_CACHE: Final = 3
"""The kind of a part that only marks where a provider may cache."""
_THINKING: Final = "thinking"
_KINDS: Final = frozenset({"element", "request", "toolCall", "error"})


@final
@define
class _Request:
    """A request that no later one goes on from.

    Args:
        earlier: how many requests it goes on from.
    """

    entry: Mapping[str, Any]
    prompt: object
    earlier: int = 0


def _prompts(document: Document) -> list[Any]:
    """Return the prompts of an export, of which one may be exported alone."""
    whole = document.object
    found = whole["prompts"] if isinstance(whole.get("prompts"), list) else [whole]
    return found if all(isinstance(each, dict) and isinstance(each.get("logs"), list) for each in found) else []


def _fit(document: Document) -> Fit:
    prompts = _prompts(document)
    logs = [entry for prompt in prompts for entry in prompt["logs"]]
    if not logs or not all("logCount" in prompt and "prompt" in prompt for prompt in prompts):
        return Fit.NONE
    return Fit.CERTAIN if all(isinstance(each, dict) and each.get("kind") in _KINDS for each in logs) else Fit.NEAR


def _messages(entry: Mapping[str, Any]) -> list[Any]:
    """Return the messages of a request; none for a note of the program, which is logged as a request too."""
    request = entry.get("requestMessages")
    found = request.get("messages") if isinstance(request, dict) else None
    return found if isinstance(found, list) else []


def _parts(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content")
    return [part for part in content if not _is_mark(part)] if isinstance(content, list) else [content]


def _is_mark(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == _CACHE


def _reply(entry: Mapping[str, Any]) -> list[Any]:
    """Return the choices of a reply, each only its text: its calls are in the next request, or in none."""
    reply = entry.get("response")
    words = reply.get("message") if isinstance(reply, dict) else None
    return words if isinstance(words, list) else [words] if words is not None else []


def _reply_text(message: Any) -> str:
    is_reply = isinstance(message, dict) and message.get("role") == _ROLES.index("assistant")
    return "".join(map(text_of, _parts(message))).strip() if is_reply else ""


def _prefixes(messages: list[Any]) -> Iterator[bytes]:
    """Yield what names the messages up to each of them, but for where a provider may cache."""
    so_far = sha256()
    for message in messages:
        bare = {**message, "content": _parts(message)} if isinstance(message, dict) else message
        so_far.update(json.dumps(bare, sort_keys=True).encode())
        yield so_far.digest()


def _last_requests(document: Document) -> list[_Request]:
    """Return the requests but for those that a later one goes on from, with the reply that they got."""
    found: list[_Request] = []
    passed: dict[tuple[bytes, str], _Request] = {}
    requests = [(prompt, entry) for prompt in _prompts(document) for entry in prompt["logs"] if _messages(entry)]
    for prompt, entry in reversed(requests):
        messages = _messages(entry)
        names = list(_prefixes(messages))
        later = passed.get((names[-1], text_of(_reply(entry)[:1]).strip()))
        if later is not None:
            later.earlier += 1
            continue
        found.append(_Request(entry, prompt["prompt"]))
        for name, following in zip(names, [*messages[1:], None], strict=True):
            passed[name, _reply_text(following)] = passed[name, ""] = found[-1]
    return found[::-1]


def _read(document: Document) -> Reading:
    found = Conversations()
    others = found.collector()
    for entry in (entry for prompt in _prompts(document) for entry in prompt["logs"]):
        if entry.get("kind") != "request":
            others.omit(f"entries of kind {entry.get('kind')}")
        elif not _messages(entry):
            others.omit("notes of the program")
    requests = _last_requests(document)
    # The longest is the main one: the others are of subagents, or name the chat.
    longest = max((len(_messages(request.entry)) for request in requests), default=0)
    requests.sort(key=lambda request: len(_messages(request.entry)) < longest)
    for n, request in enumerate(requests):
        collector = found.collector() if n else others
        for message in _messages(request.entry):
            _add(collector, n, message)
        choices = _reply(request.entry)
        collector.add_blocks(n, "assistant", text(choices[0]) if choices else [])
        collector.omit("failed requests", not choices)
        collector.omit("other choices", len(choices[1:]))
        collector.omit("earlier requests, from which this one goes on", request.earlier)
        id, about = request.entry.get("id"), request.entry.get("metadata") or {}
        label = f"request {id} ({request.entry.get('name')})" if n else ""
        found.add(collector.conversation(BLOCKS, label=label, id=id, title=request.prompt, tools=about.get("tools")))
    return found.reading(others)


def _add(collector: Collector, n: int, message: Any) -> None:
    number = message.get("role") if isinstance(message, dict) else None
    if not isinstance(number, int) or not 0 <= number < len(_ROLES):
        collector.note(n, "an entry that is not a message", message)
        return
    role = _ROLES[number]
    blocks = [block for part in _parts(message) for block in _block(collector, part)]
    if role == "system":
        collector.add(n, {"role": role, "content": blocks})
    elif role == "tool":
        words = [block["text"] for block in blocks if block["type"] == "text"]
        inner = "".join(words) if len(words) == len(blocks) else blocks
        collector.add_blocks(n, "user", [result(message.get("toolCallId"), inner)])
    else:
        collector.add_blocks(n, role, [*blocks, *calls_of(message.get("toolCalls"))])


def _block(collector: Collector, part: Any) -> list[dict[str, Any]]:
    if isinstance(part, str) or part is None:
        return text(part)
    value, file = part.get("value"), part.get("documentData")
    if isinstance(part.get("text"), str):
        return text(part["text"])
    if isinstance(part.get("imageUrl"), dict):
        return [image(part["imageUrl"].get("url"))]
    if isinstance(file, dict):
        source = {"type": "base64", "media_type": file.get("mediaType"), "data": file.get("data")}
        return [{"type": "document", "source": source}]
    if isinstance(value, dict) and value.get("type") == _THINKING and isinstance(value.get(_THINKING), dict):
        return thinking(text_of(value[_THINKING].get("text")))
    collector.omit("states of a provider next to messages")
    return []


COPILOT_REPLAY: Final = Format(
    name="copilot-replay",
    rank=360,
    title="Copilot Chat in VS Code: logs of its debug view, exported for a replay",
    files="*.chatreplay.json, of `Export All Prompts as JSON`",
    omits="earlier requests that a later one repeats, runs of tools (they are in the later requests), counts of tokens",
    unwritten=OUTCOME,
    source="microsoft/vscode-copilot-chat: extension/replay, extension/prompt/vscode-node/requestLoggerImpl.ts",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
