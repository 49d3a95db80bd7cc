"""Parse what callers give one at a time: a raw message, a provider's response, or what a tool returned."""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from attrs import evolve

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import make_message, with_content, with_replies
from message_history.core.messages.parsed import Note
from message_history.core.messages.repairs import RepairCode
from message_history.core.messages.replies import as_json
from message_history.core.values.json_values import EMPTY, freeze, freeze_mapping
from message_history.dialects._shared.mcp import mcp_result
from message_history.dialects._shared.reply_info import reply_info
from message_history.dialects._shared.sdk_objects import as_sequence
from message_history.dialects._shared.typed_blocks import half_written
from message_history.dialects.registry import NATIVE, read, read_reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.replies import ReplyInfo
    from message_history.dialects.base import Dialect


class SdkMessage(Protocol):
    """An SDK's object of a message, such as `response.choices[0].message`: it can be written as a dict."""

    @property
    def model_dump(self) -> Callable[..., Any]:
        """Return what writes it."""


class AgentMessage(Protocol):
    """A message of pydantic-ai."""

    @property
    def kind(self) -> str:
        """Return whether it is a request or a response."""

    @property
    def parts(self) -> Sequence[Any]:
        """Return what it holds."""


RawMessage: TypeAlias = Mapping[str, Any] | SdkMessage | AgentMessage
"""A message in the form of any provider: a dict or an SDK's object."""

_INSTRUCTIONS: Final = "instructions"
"""The key of a message of pydantic-ai that holds text of a system."""
_OF_CLIENTS: Final = frozenset({TextBlock, ImageBlock, DocumentBlock})


def parse_entry(entry: object) -> Parsed:
    """Parse one raw message, or a provider's whole response."""
    if isinstance(entry, str | bytes) or (not isinstance(entry, Mapping) and not _has_fields(entry)):
        raise TypeError(
            f"message must be a Message or a dict of any provider, not {type(entry).__name__}; `extend` takes several, "
            "`add_user` takes text"
        )
    parsed = read([entry])
    if not parsed.messages and (reply := parse_response(entry)) is not None:
        return reply  # A whole response, of a provider whose lists hold none.
    if parsed.dialect == NATIVE:
        parsed.messages[:] = map(without_privileges, parsed.messages)
    if _is_users(entry):
        parsed.messages[:] = map(_of_user, parsed.messages)
    return parsed


def _is_users(entry: object) -> bool:
    """Return whether an entry says that it is the user's, whatever its other keys say."""
    role = entry.get("role") if isinstance(entry, Mapping) else None
    return isinstance(role, str) and role.lower() == "user"


def _of_user(message: Message) -> Message:
    """Return the message of an entry whose role is the user's: as a user message, without system text."""
    if message.role != "user":
        return make_message("user", tuple(map(_plain_block, message.content)))
    content = tuple(_users_block(block) for block in message.content)
    return message if all(map(operator.is_, content, message.content)) else make_message("user", content)


def _users_block(block: Block) -> Block:
    """Return a block of a user's message without what only a system may say."""
    if isinstance(block, SystemBlock):
        return _plain_block(block)
    return _without_instructions(block)


def without_privileges(message: Message) -> Message:
    """Return a message of the saved form without what only this library may say: marks, system text, usage.

    A message that an application adds may be a client's, and a client could forge them; storage is read by `from_list`.
    Returns the message itself when it has none. Each block that is changed says so in a `value_converted` repair.
    """
    content = tuple(map(_plain_block, message.content))
    if message.replies and content:
        content = (_noted(content[0], "what it says of a provider's reply, removed"), *content[1:])
    same = all(map(operator.is_, content, message.content))
    return message if same else make_message(message.role, content)


def _plain_block(block: Block) -> Block:
    if isinstance(block, SystemBlock):
        made = _with_rest(TextBlock(block.text), block)
        return _noted(made, "a system message within a message, kept as its text")
    if isinstance(block, ProviderBlock) and block.dialect != NATIVE:
        made = _with_rest(ProviderBlock(NATIVE, block.data), block)
        return _noted(made, f"a block for {block.dialect}, kept and not sent")
    if isinstance(block, ToolResultBlock):
        inner = tuple(map(_plain_block, block.content))
        block = block if all(map(operator.is_, inner, block.content)) else evolve(block, content=inner)
    block = _without_instructions(block)
    if block.meta is not None and block.meta.key:
        block = _noted(with_meta(block, key=""), "the key of a call, removed")
    if block.mark is None:
        return block
    return _noted(with_meta(block, mark=None), f"a mark of the kind {block.mark.kind}, removed")


def _with_rest(made: Block, block: Block) -> Block:
    """Return what was made of a block with what else that carried: kept in the saved form, and never sent."""
    meta = block.meta
    held = {"extra": meta.extra, "carried": meta.carried} if meta is not None else {}
    kept = {name: value for name, value in held.items() if value}
    return with_meta(made, carried=freeze_mapping({NATIVE: {"of_the_block": kept}})[0]) if kept else made


def _instructions_in(block: Block) -> list[str]:
    """Return the dialects in whose form a block carries instructions of its message: text of a system."""
    carried = block.meta.carried if block.meta is not None else EMPTY
    return [origin for origin in carried if origin != NATIVE and block.carried(origin).get(_INSTRUCTIONS) is not None]


def _without_instructions(block: Block) -> Block:
    """Return a block whose instructions are kept, and not sent."""
    origins = _instructions_in(block)
    if block.meta is None or not origins:
        return block
    carried = {origin: dict(block.carried(origin)) for origin in block.meta.carried}
    kept = [carried[origin].pop(_INSTRUCTIONS) for origin in origins]
    carried[NATIVE] = {**carried.get(NATIVE, {}), _INSTRUCTIONS: kept[0] if len(kept) == 1 else kept}
    return _noted(with_meta(block, carried=freeze_mapping(carried)[0]), "instructions, kept and not sent")


def _noted(block: Block, what: str) -> Block:
    converted = block.meta.converted if block.meta is not None else ()
    return with_meta(block, converted=(*converted, f"an added message: {what}"))


def user_messages(raw: Iterable[Any]) -> tuple[Message, ...]:
    """Parse what an untrusted client sends: user messages of text, images and documents, and nothing else.

    Args:
        raw: the client's list, in the form of any provider.

    Returns:
        The messages, ready for `MessageHistory.extend`.

    Raises:
        TypeError: when it is not a list.
        ValueError: for the first entry that is anything else: another role, a call, a result, a mark, system text.

    Complexity: linear in the list.
    """
    entries = as_sequence(raw)
    if entries is None:
        raise TypeError(f"raw must be a list of messages, not {type(raw).__name__}; pass [message] for one")
    messages: list[Message] = []
    for position, entry in enumerate(entries):
        parsed = read([entry]) if isinstance(entry, Mapping) else None
        (message,) = parsed.messages if parsed is not None and len(parsed.messages) == 1 else (None,)
        role = entry.get("role") if isinstance(entry, Mapping) else None
        plain = message is not None and all(map(_is_clients, message.content))
        if role != "user" or message is None or message.role != "user" or not plain or not message.content:
            raise ValueError(f"message {position} must be a user message of text, images or documents")
        messages.append(message)
    return tuple(messages)


def _is_clients(block: Block) -> bool:
    return type(block) in _OF_CLIENTS and not block.mark and not _instructions_in(block)


def _has_fields(entry: object) -> bool:
    forms = (("model_dump",), ("role", "content"), ("kind", "parts"))
    return any(all(hasattr(entry, name) for name in names) for names in forms)


def parse_response(response: object, dialect: Dialect[Any] | None = None) -> Parsed | None:
    """Parse a provider's response; None when it is not one of a known provider."""
    found = read_reply(response, dialect)
    if found is None:
        return None
    spoken, reply, data = found
    parsed = read(reply.entries, spoken, is_reply=True)
    if (host := spoken.returns_unknown()) is not None:
        import_module("message_history.dialects._shared.came_from").note_origin(parsed, spoken, host)
    if reply.interrupted:
        for position, message in enumerate(parsed.messages):
            if message.role == "assistant":
                parsed.interrupted.add(position)
                parsed.messages[position] = _truncated(message)
    info = reply_info(data, spoken.name, reply.beside)
    if info is not None:
        _add_info(parsed, info)
    for number, entry in enumerate(reply.others, 2):
        blocks = tuple(block for message in read([entry], spoken).messages for block in message.content)
        if blocks:
            parsed.note(RepairCode.CHOICE_PASSED_OVER, 0, blocks, f"choice {number} of {1 + len(reply.others)}")
    return parsed


def response_hint(value: object) -> str:
    """Say what to do with what is not a response of a provider. Nothing of the value is quoted."""
    if isinstance(value, Awaitable):
        return "await it first"
    if isinstance(value, Mapping):
        if value.get("error") is not None:
            return "it is the provider's error: send the request again, and add nothing"
    elif hasattr(value, "__next__") or hasattr(value, "__anext__"):
        return "a stream goes to message_history.streaming.Accumulator, event by event"
    return "`add` takes one message of it, such as response.choices[0].message"


def _add_info(parsed: Parsed, info: ReplyInfo) -> None:
    """Add what the provider said of a reply to the last message of it, or note it for a reply without content."""
    position = next((n for n in reversed(range(len(parsed.messages))) if parsed.messages[n].role == "assistant"), None)
    if position is not None:
        parsed.messages[position] = with_replies(parsed.messages[position], (info,))
    elif info.model is not None or info.usage is not None or info.frozen_extra:
        note = Note(code=RepairCode.EMPTY_MESSAGE_DROPPED, source=0, detail="a reply without content")
        if parsed.notes and parsed.notes[-1].code is RepairCode.EMPTY_MESSAGE_DROPPED:
            note = parsed.notes.pop()
        parsed.notes.append(note._replace(removed=(*note.removed, freeze(as_json(info))[0])))


def _truncated(assistant: Message) -> Message:
    """Take the input of a call that ends a truncated reply as unreadable, unless its text shows that it is whole."""
    last = assistant.content[-1] if assistant.content else None
    if not isinstance(last, ToolUseBlock) or (last.arguments or "").strip():
        return assistant
    meta = evolve(last.meta, arguments=None) if last.meta is not None else None
    return with_content(assistant, (*assistant.content[:-1], half_written(evolve(last, meta=meta))))


def parse_tool_output(content: object) -> tuple[object, bool]:
    """Parse what a tool returned: blocks for raw ones or MCP's, else the value; and whether it says that it failed."""
    found = mcp_result(content) if content is not None and not isinstance(content, str) else None
    if found is not None:
        return found
    if not isinstance(content, list) or not content:
        return content, False
    if not all(isinstance(part, Mapping) and isinstance(part.get(_value_key(part)), str | Mapping) for part in content):
        return content, False
    parsed = read([{"role": "user", "content": content}])
    return (parsed.messages[0].content if len(parsed.messages) == 1 and not parsed.notes else content), False


def _value_key(part: Mapping[str, Any]) -> str:
    """Return the key under which a raw content block has its value."""
    kind = part.get("type")
    return _VALUE_KEYS.get(kind, "") if isinstance(kind, str) else ""


_VALUE_KEYS: Final = {"text": "text", "image": "source", "document": "source", "image_url": "image_url"}
