"""What a block that only one provider knows says to a reader: its text, for every other dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from message_history.core.messages.blocks import ProviderBlock, TextBlock, is_blank
from message_history.core.messages.message import Message, is_plain, make_message, others_of
from message_history.core.messages.plain import unpack
from message_history.core.messages.repairs import Repair, RepairCode, in_words
from message_history.core.values.json_values import FrozenDict
from message_history.dialects._shared.leading import is_omitted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.dialects.base import Dialect

_HOLDERS: Final = {origin: frozenset({origin, "langchain", "native"}) for origin in ("anthropic", "openai_responses")}
"""By the provider of a block, the dialects that take it as it is."""


class TurnWithText(NamedTuple):
    """Writes a settled turn alone, with the text of blocks of other providers."""

    dialect: Dialect[Any]

    def write_turn(self, assistant: Message | None, user: Message | None) -> list[Any] | None:
        """Return fresh messages; None when they depend on other turns."""
        name = self.dialect.name
        return self.dialect.write_turn(_readable(assistant, name), _readable(user, name))

    def omits(self, placeholder: Message) -> bool:
        """Return whether a placeholder is not sent before a leading assistant message."""
        return is_omitted(placeholder, self.dialect)


def with_foreign_text(messages: list[Message], dialect: Dialect[Any]) -> tuple[list[Message], list[Repair]]:
    """Replace blocks that only another provider knows by their text, where they have one."""
    readable = [_readable(message, dialect.name) for message in messages]
    repairs = [
        Repair(code=RepairCode.REWRITTEN, index=index, removed=(block,), detail=f"{in_words(block)} as text")
        for index, (message, other) in enumerate(zip(messages, readable, strict=True))
        if other is not message
        for block in message.content
        if _text_of(block, dialect.name)
    ]
    return readable, repairs


def _readable(message: Message | None, target: str) -> Any:
    if message is None or not holds_provider_block(message):
        return message
    blocks = tuple(_as_text(block, target) for block in message.content)
    return message if blocks == message.content else make_message(message.role, blocks)


def holds_provider_block(message: Message) -> bool:
    others = others_of(message)
    if others:
        # White space is a text that no dialect reads in another form.
        return any(type(item) is bytes and unpack(item)["data"].get("type") != "text" for item in others)
    return not is_plain(message) and ProviderBlock in map(type, message.content)


def _as_text(block: Block, target: str) -> Block:
    text = _text_of(block, target)
    return TextBlock(text, meta=block.meta) if text else block


def _text_of(block: Block, target: str) -> str:
    """Return the text of a block that a dialect does not take; an empty one for any other block."""
    if not isinstance(block, ProviderBlock) or target in _HOLDERS.get(block.dialect, ()):
        return ""
    read = _TEXTS.get((block.dialect, block.type))
    return read(block.data) if read is not None else ""


def _summary(data: FrozenDict) -> str:
    content = data.get("content")
    return content if isinstance(content, str) and not is_blank(content) else ""


def _search_result(data: FrozenDict) -> str:
    content = data.get("content")
    if not isinstance(content, tuple):
        return ""
    parts = [data.get("title"), data.get("source")]
    parts += [part.get("text") for part in content if isinstance(part, FrozenDict)]
    return "\n".join(part for part in parts if isinstance(part, str) and not is_blank(part))


def _mcp_call(data: FrozenDict) -> str:
    """Say what a call that the provider ran gave: the model that reads on may only know that it was approved."""
    name, output = data.get("name"), data.get("output")
    return f"[The tool {name} gave:]\n{output}" if isinstance(output, str) and isinstance(name, str) else ""


_TEXTS: Final[Mapping[tuple[str, str], Callable[[FrozenDict], str]]] = {
    ("anthropic", "compaction"): _summary,
    ("anthropic", "search_result"): _search_result,
    ("openai_responses", "mcp_call"): _mcp_call,
}
"""By provider and type, what a block says."""
