"""The blocks a message is made of: frozen values, each checked alone.

A block knows nothing of roles, of neighbours or of providers' rules. What travels with a block without being its
content (keys we have no field for, a provider's signature, our own mark) sits in its `meta`, which is usually None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, TypeVar, final

from attrs import evolve, field, frozen
from attrs.converters import optional as optionally
from attrs.validators import optional

from message_history.core.messages.block_base import NO_META, Block, frozen_mapping, shortened, shortened_values
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import (
    EMPTY,
    FrozenDict,
    freeze,
    json_text,
    thaw,
    thaw_flat,
    with_whole_pairs,
)
from message_history.core.values.keys import WHOLE, Origin, key_at
from message_history.core.values.meta import Mark, Meta, Runner, plain_text
from message_history.core.values.validators import instance_of, must_be, set_state_once


@final
@frozen(repr=False, eq=False)
class TextBlock(Block):
    """Text.

    Args:
        text: the text.
    """

    text: str = field(converter=plain_text, validator=instance_of(str))

    @property
    def signature(self) -> str | None:
        """Return the provider's signature on this text, or None."""
        return self.meta.signature if self.meta is not None else None

    def __repr__(self) -> str:
        return self._repr(self.text)


@final
@frozen(repr=False, eq=False)
class ThinkingBlock(Block):
    """Thinking of a model, with its issuer's signature; never edited.

    Args:
        thinking: the text; it may be empty when it is signed.
        signature: the issuer's signature, or None.
        bound: False once it is invalidated: something before it has changed, and models that verify it refuse it.
    """

    thinking: str = field(converter=plain_text, validator=instance_of(str))
    signature: str | None = field(default=None, converter=optionally(plain_text), validator=optional(instance_of(str)))
    bound: bool = field(default=True, validator=instance_of(bool))

    def __repr__(self) -> str:
        shown = [self.thinking] if self.signature is None else [self.thinking, shortened(self.signature)]
        return self._repr(*shown) if self.bound else f"{self._repr(*shown)[:-1]}, bound=False)"


@final
@frozen(repr=False, eq=False)
class RedactedThinkingBlock(Block):
    """Thinking that its issuer encrypted; never edited.

    Args:
        data: the encrypted text.
        bound: False once it is invalidated.
    """

    data: str = field(converter=plain_text, validator=instance_of(str))
    bound: bool = field(default=True, validator=instance_of(bool))

    def __repr__(self) -> str:
        return self._repr(shortened(self.data))


@final
@frozen(init=False, repr=False, eq=False)
class ToolUseBlock(Block):
    """A call.

    Args:
        id: the id that its result must name.
        name: the tool.
        input: what the tool is given; None when the call came without any.
        turn: where the call is in a history, as `awaiting` and `calls` set it; not part of the call's value.
        origin: the same as its history knows it, of which `key` is made.
    """

    id: str
    name: str
    frozen_input: FrozenDict = field(alias="input")
    turn: int | None = field(default=None, eq=False, kw_only=True)
    origin: Origin | None = field(default=None, eq=False, kw_only=True)

    def __init__(
        self,
        id: str,
        name: str,
        input: Mapping[str, Any] | None,
        *,
        turn: int | None = None,
        origin: Origin | None = None,
        meta: Meta | None = None,
    ) -> None:
        must_be(str, id=id, name=name)
        if input is None:
            value = NO_INPUT
        else:
            value, meta = frozen_mapping("input", input, meta)
        self.__attrs_init__(plain_text(id), plain_text(name), value, turn=turn, origin=origin, meta=meta)

    @property
    def input(self) -> dict[str, Any]:
        """Return the tool's input: a fresh plain dict at each access, yours to change; {} without an input."""
        return thaw_flat(self.frozen_input) or thaw(self.frozen_input)

    @property
    def key(self) -> str:
        """Return the call's name for life, as an idempotency key; empty for a call that is in no history."""
        if self.origin is None or self.origin.key:
            return self.origin.key if self.origin is not None else ""
        own = self.meta.key if self.meta is not None else ""
        # A digest would let an input be guessed that was taken out.
        forgotten = self.mark is not None and self.mark.kind == "forgotten"
        return own or key_at(self.origin, *(("", "", EMPTY) if forgotten else (self.id, self.name, self.frozen_input)))

    @property
    def arguments(self) -> str | None:
        """Return the input as the text its provider sent, or None when it came as an object."""
        return self.meta.arguments if self.meta is not None else None

    @property
    def readable(self) -> bool:
        """Return whether the input could be read; if not, `input` is `{"_raw": text}`."""
        arguments = self.arguments
        return arguments is None or len(self.frozen_input) != 1 or self.frozen_input.get("_raw") != arguments

    @property
    def approval(self) -> Runner:
        """Return who runs the call once a person approves it, if its provider asks for that; else an empty text."""
        mark = self.mark
        if mark is None or mark.kind not in ("approval", "renamed"):
            return ""
        return "client" if mark.reason == "client" else "provider" if mark.reason == "provider" else ""

    @property
    def signature(self) -> str | None:
        """Return the provider's signature on this call, or None."""
        return self.meta.signature if self.meta is not None else None

    def __repr__(self) -> str:
        return self._repr(self.id, self.name, self.frozen_input)


@final
@frozen(init=False, repr=False, eq=False)
class ToolResultBlock(Block):
    """A result.

    Args:
        tool_use_id: the call that it answers.
        content: text, blocks, None, or any JSON value, which is kept as its text.
        is_error: whether the tool failed.
    """

    tool_use_id: str
    content: tuple[Block, ...] = ()
    is_error: bool = False

    def __init__(
        self, tool_use_id: str, content: object = None, is_error: bool = False, *, meta: Meta | None = None
    ) -> None:
        must_be(str, tool_use_id=tool_use_id)
        self.__attrs_init__(plain_text(tool_use_id), result_content(content), bool(is_error), meta=meta)

    @property
    def is_stub(self) -> bool:
        """Return whether this library made the result, for a call that had none."""
        mark = self.mark
        return mark is not None and mark.kind == "stub"

    @property
    def text(self) -> str:
        """Return the text blocks of the content, joined by line breaks."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))

    def __repr__(self) -> str:
        content: object = self.content
        if len(self.content) == 1 and type(self.content[0]) is TextBlock and self.content[0].meta is None:
            content = self.content[0].text
        return self._repr(self.tool_use_id, content, *([True] if self.is_error else []))


@final
@frozen(repr=False, eq=False)
class SystemBlock(Block):
    """A system message in the middle of a history.

    Args:
        text: its text.
    """

    text: str = field(converter=plain_text, validator=instance_of(str))

    def __repr__(self) -> str:
        return self._repr(self.text)


@final
@frozen(init=False, repr=False, eq=False)
class ProviderBlock(Block):
    """A block that only its own dialect understands; it is sent back there unchanged.

    Args:
        dialect: where it came from.
        data: the whole block.
    """

    dialect: str
    data: FrozenDict

    def __init__(self, dialect: str, data: Mapping[str, Any], *, meta: Meta | None = None) -> None:
        must_be(str, dialect=dialect)
        value, meta = frozen_mapping("data", data, meta)
        self.__attrs_init__(plain_text(dialect), value, meta=meta)

    @property
    def type(self) -> str:
        """Return the block's own type, or an empty text when it has none."""
        found = self.data.get("type")
        return found if isinstance(found, str) else ""

    def __repr__(self) -> str:
        return self._repr(self.dialect, shortened_values(self.data))


for _kind, _slot in (
    *((kind, "meta") for kind in (TextBlock, ImageBlock, DocumentBlock, ThinkingBlock, RedactedThinkingBlock)),
    *((kind, "meta") for kind in (ToolUseBlock, ToolResultBlock, SystemBlock, ProviderBlock)),
    *((Mark, "kind"), (Meta, "extra")),
):
    set_state_once(_kind, _slot)

NO_INPUT: Final = FrozenDict()
"""The input of a call that came without one; known by identity, as `{}` is a good input."""

Content: TypeAlias = str | Block | Iterable[str | Block]
"""What may be given wherever blocks are wanted."""

_B = TypeVar("_B", bound=Block)
_IN_RESULTS: Final = (TextBlock, ImageBlock, DocumentBlock, ProviderBlock)


def is_blank(text: str) -> bool:
    """Return whether a text holds nothing but white space."""
    return not text or text.isspace()


def blocks_of(content: Content) -> tuple[Block, ...]:
    """Turn text, a block, or several of both into blocks; a raw dict is for `MessageHistory.add` to read."""
    if isinstance(content, str):
        return (text_block(plain_text(content)),)
    if isinstance(content, Block):
        return (content,)
    if not isinstance(content, Mapping | bytes) and isinstance(content, Iterable):
        blocks = tuple(text_block(plain_text(item)) if isinstance(item, str) else item for item in content)
        for block in blocks:
            if not isinstance(block, Block):
                raise TypeError(_no_content(block))
        return blocks
    raise TypeError(_no_content(content))


_CONTENT: Final = "pass a str, a block such as TextBlock, or a list of them"


def _no_content(value: object) -> str:
    """Say what to write instead of what is neither text nor a block."""
    hint, origin = _CONTENT, ""
    if isinstance(value, Mapping):
        hint = "a raw dict goes to add({'role': ..., 'content': [...]})"
    elif hasattr(value, "model_dump"):
        # An SDK has blocks of the same names.
        origin = f" of {type(value).__module__.partition('.')[0]}"
        hint = "an SDK's block goes to add({'role': ..., 'content': [...]}), its whole response to add_response"
    return f"content must be text or blocks, not {type(value).__name__}{origin}; {hint}"


def result_content(content: object) -> tuple[Block, ...]:
    """Turn what a tool gave into a result's blocks: a JSON value becomes its text, None and empty text no blocks."""
    if content is None or (isinstance(content, str | tuple) and not content):
        return ()
    if isinstance(content, str):
        return (text_block(plain_text(content)),)
    blocks = (content,) if isinstance(content, Block) else content
    if isinstance(blocks, list | tuple) and any(isinstance(block, Block) for block in blocks):
        made = blocks_of(blocks)
        for block in made:
            if not isinstance(block, _IN_RESULTS):
                raise TypeError(f"a {type(block).__name__} cannot be in a result")
        return made
    frozen, converted = freeze(content)
    text = frozen if isinstance(frozen, str) else json_text(thaw(frozen))
    return (text_block(text, Meta(converted=converted) if converted else None),)


def with_meta(block: _B, **changes: Any) -> _B:
    """Return the same block with other meta. Its `meta` is None when nothing is left in it."""
    meta = evolve(block.meta if block.meta is not None else NO_META, **changes)
    return evolve(block, meta=None if meta == NO_META and not meta.key else meta)


def forgotten(block: Block, reason: str) -> Block:
    """Return what replaces a content that was removed for good; calls and results keep their id and tool."""
    meta = Meta(mark=Mark(kind="forgotten", reason=reason))
    if isinstance(block, ToolUseBlock):
        return tool_use_block(block.id, block.name, EMPTY, meta)
    text = TextBlock(FORGOTTEN, meta=meta)
    if isinstance(block, ToolResultBlock):
        return tool_result_block(block.tool_use_id, (text,), block.is_error, meta)
    return text


FORGOTTEN: Final = "[This was removed.]"


# Makers for the parsers: they have checked the values already, and `__init__` of a frozen class costs about twice as
# much as setting the slots (170 against 310 ns for a call with an input, CPython 3.11), which ingest pays per block.
_new = object.__new__
_set_meta = Block.meta.__set__  # type: ignore[union-attr]
_set_text = TextBlock.text.__set__  # type: ignore[attr-defined]
_set_id = ToolUseBlock.id.__set__  # type: ignore[attr-defined]
_set_name = ToolUseBlock.name.__set__  # type: ignore[attr-defined]
_set_input = ToolUseBlock.frozen_input.__set__  # type: ignore[attr-defined]
_set_turn = ToolUseBlock.turn.__set__  # type: ignore[union-attr]
_set_origin = ToolUseBlock.origin.__set__  # type: ignore[union-attr]
_set_tool_use_id = ToolResultBlock.tool_use_id.__set__  # type: ignore[attr-defined]
_set_content = ToolResultBlock.content.__set__  # type: ignore[attr-defined]
_set_is_error = ToolResultBlock.is_error.__set__  # type: ignore[attr-defined]


def text_block(text: str, meta: Meta | None = None) -> TextBlock:
    """Make a text block of a text that is known to be one."""
    block = _new(TextBlock)
    _set_text(block, text if type(text) is str and text.isascii() else with_whole_pairs(str.__str__(text)))
    _set_meta(block, meta)
    return block


def tool_use_block(id: str, name: str, input: FrozenDict, meta: Meta | None = None) -> ToolUseBlock:
    """Make a call of values that are known to fit."""
    block = _new(ToolUseBlock)
    # A text may be of a subclass of str: such a text could change, and its `type` is not str.
    _set_id(block, id if type(id) is str else str.__str__(id))
    _set_name(block, name if type(name) is str else str.__str__(name))
    _set_input(block, input)
    _set_turn(block, None)
    _set_origin(block, None)
    _set_meta(block, meta)
    return block


def placed(call: ToolUseBlock, origin: Origin) -> ToolUseBlock:
    """Return a call that knows its place in a history."""
    block = tool_use_block(call.id, call.name, call.frozen_input, call.meta)
    _set_turn(block, 2 * origin.turn - 1)
    _set_origin(block, origin)
    return block


def keyed_call(key: str, id: str = "", name: str = "") -> ToolUseBlock:
    """Return a call that says no more than which one is meant."""
    return placed(tool_use_block(id or key, name, EMPTY), Origin(WHOLE, 0, 0, key))


def tool_result_block(
    tool_use_id: str, content: tuple[Block, ...], is_error: bool, meta: Meta | None = None
) -> ToolResultBlock:
    """Make a result of values that are known to fit."""
    block = _new(ToolResultBlock)
    _set_tool_use_id(block, tool_use_id if type(tool_use_id) is str else str.__str__(tool_use_id))
    _set_content(block, content)
    _set_is_error(block, is_error)
    _set_meta(block, meta)
    return block
