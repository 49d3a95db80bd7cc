"""Read lists of the Messages API, and what people have saved in its form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast, final

from message_history.core.messages.blocks import ProviderBlock, SystemBlock, TextBlock, is_blank, text_block
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.plain import pack_other
from message_history.dialects._shared.plain_reader import OF_CALLS, Keeper, read_each
from message_history.dialects._shared.reader import add_message, assume_user, read_entries, role_of
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import is_plain_text, is_white_space, meta_of, read_blocks
from message_history.dialects.anthropic import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.values.meta import Meta
    from message_history.dialects.base import Foreign

ANTHROPIC: Final = "anthropic"


class _Blocks:
    """What blocks of the Messages API have besides the modelled keys."""

    issuer: str | None = ANTHROPIC

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        """Keep unknown keys, to send back what the API knows of them."""
        return meta_of(ANTHROPIC, others)

    def other(self, data: Mapping[Any, Any]) -> Block:
        if is_plain_text(data) and data["type"] not in _KNOWN and not re.fullmatch(schema.FOREIGN, data["type"]):
            return text_block(str.__str__(data["text"]), meta_of(ANTHROPIC, {"part": data["type"]}))
        return ProviderBlock(ANTHROPIC, data)


_KNOWN: Final = schema.IN_ASSISTANT | schema.IN_USER | schema.IN_RESULTS | schema.TOOL_CHANGES
_BLOCKS: Final = _Blocks()


@final
class _Keeper(Keeper):
    """Packs the blocks of the API that nearly all sessions have."""

    def other(self, kind: str, item: dict[str, Any]) -> bytes | None:
        """Pack white space next to other text, and what a search of tools found."""
        if item.keys() != _OTHERS.get(kind):
            return None
        return pack_other({"type": "provider", "dialect": ANTHROPIC, "data": item})


_OTHERS: Final = {"text": {"type", "text"}, "tool_reference": {"type", "tool_name"}}
_KEEP: Final = _Keeper(ANTHROPIC, {**OF_CALLS, "text": ("cache_control", "citations")})


def parse(raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
    return parse_behind([], raw, foreign)


def parse_behind(known: Sequence[Message], raw: Sequence[Any], foreign: Foreign | None) -> Parsed:
    """Read the list `raw`, of whose first entries the messages are `known`."""
    found = read_each(raw, (2,), _KEEP, known)
    if all(found):
        return Parsed(cast("list[Message]", found), list(range(len(found))))
    return read_entries(raw, foreign, _Reader(), known=found)


@final
class _Reader:
    """One list on its way in."""

    def __init__(self) -> None:
        self.parsed = Parsed()

    def own_entry(self, entry: object, source: int) -> bool:
        """Take no entry: what is surely of this dialect has a common shape, and was read already."""
        return False

    def other_entry(self, entry: object, source: int) -> bool:
        data = as_mapping(entry)
        if data is None or ("role" not in data and "content" not in data):
            return False
        role = role_of(data)
        keys = {key: value for key, value in data.items() if key not in ("role", "content")}
        if role in ("system", "developer"):
            blocks = _system_blocks(data, source, self.parsed)
            if blocks and not isinstance(blocks[-1], SystemBlock):
                keys = {}  # The last block has them.
        else:
            assume_user(self.parsed, role, source)
            blocks = read_blocks(data.get("content"), source, self.parsed, _BLOCKS)
            if role == "assistant":
                blocks = keep_blank_texts(blocks)
        add_message(
            self.parsed, data, source, dialect=ANTHROPIC, role=role, blocks=blocks, keys=keys, own_call=_own_call
        )
        return True


def keep_blank_texts(blocks: list[Block]) -> list[Block]:
    """Keep the white space that the model wrote next to other text: the API takes it back, and no history holds it."""
    if all(is_blank(block.text) for block in blocks if isinstance(block, TextBlock)):
        return blocks
    return [
        ProviderBlock(ANTHROPIC, {"type": "text", "text": block.text}) if is_white_space(block) else block
        for block in blocks
    ]


def _own_call(block: Block) -> Mapping[str, Any] | None:
    """Read a call of a tool that the API runs itself."""
    return block.data if isinstance(block, ProviderBlock) and block.type.endswith("_tool_use") else None


def _system_blocks(data: Mapping[Any, Any], source: int, parsed: Parsed) -> list[Block]:
    """Read a system message: its texts, and after them everything else in it, kept unchanged."""
    content = data.get("content")
    parts = [] if content is None else as_sequence(content)
    if parts is None:
        parts = [content]
    texts = next((n for n, part in enumerate(parts) if not _is_text(part)), len(parts))
    if any(map(_is_text, parts[texts:])):
        return [ProviderBlock(ANTHROPIC, data)]  # In another order it would not be the same.
    read = read_blocks(parts[:texts] if parts[:texts] != [content] else content, source, parsed, _BLOCKS)
    blocks: list[Block] = [SystemBlock(block.text, meta=block.meta) for block in read if isinstance(block, TextBlock)]
    if texts < len(parts) or _DIRECTING & data.keys() or (not blocks and data.keys() - {"role", "content"}):
        blocks.append(ProviderBlock(ANTHROPIC, {**data, "content": parts[texts:]}))
    return blocks


def _is_text(part: object) -> bool:
    return isinstance(part, str) or (isinstance(part, Mapping) and part.get("type") == "text")


_DIRECTING: Final = frozenset({"output_config"})
"""What a system message may say besides its content."""
