"""A message: a role and its blocks, with what adding and sending it needs to know of them.

A message is checked alone: nothing here looks at another message. It may hold what a history would not keep (blank
text, a misplaced block); the history decides what becomes of that.

A message that a parser made of a plain content has no blocks until somebody asks for its `content`, and keeps them
then. One that was made of blocks finds its plain content when it is first sent. See `plain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Never, TypeAlias, final

from attrs import frozen
from attrs.exceptions import FrozenInstanceError

from message_history.core.messages.arrived import arrival, arrivals_ending_in, arrivals_in
from message_history.core.messages.blocks import (
    NO_INPUT,
    Content,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    blocks_of,
    is_blank,
)
from message_history.core.messages.denials import OPENINGS
from message_history.core.messages.plain import (
    NOT_PLAIN,
    Kept,
    Plain,
    blocks_of_plain,
    pack,
    plain_of,
    unpack,
)
from message_history.core.values.json_values import FrozenDict, short_repr
from message_history.core.values.meta import Mark, Meta
from message_history.core.values.validators import set_state_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.arrived import Arrival
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.replies import ReplyInfo

Role: TypeAlias = Literal["user", "assistant"]

NEEDS_REPAIR: Final = 0
CLEAN_ASSISTANT: Final = 1
CLEAN_USER: Final = 2
SHAPES: Final[dict[Role, int]] = {"assistant": CLEAN_ASSISTANT, "user": CLEAN_USER}


class _Replied:
    """What most messages have nothing of."""

    # Weak references are here too: only in a base do they let `Unfinished` become a `Message`.
    __slots__ = ("__weakref__", "_arrivals", "_kept", "_others", "_replies")
    _arrivals: tuple[Arrival, ...] | bytes
    _kept: Kept
    _others: Plain
    _replies: tuple[ReplyInfo, ...]


@final
@frozen(init=False, repr=False, eq=False)
class Message(_Replied):
    """One message of a conversation.

    Args:
        role: `user` or `assistant`.
        content: text, a block, or several of both.

    Attributes:
        ids: in order, the ids of an assistant message's calls, or of a user message's results; found once, so that
            adding the message need not look again.
        shape: `CLEAN_ASSISTANT` or `CLEAN_USER` for a message that needs no repair: no blank text, no block in the
            wrong role, calls complete, results first, every id once, nothing that is an error, may be a stub or is a
            system message. `NEEDS_REPAIR` for any other.
    """

    role: Role
    content: tuple[Block, ...]
    """What the message holds, in order."""
    ids: tuple[str, ...]
    shape: int
    # What is found when it is first asked for, and only ever replaced by an equal value.
    _plain: Plain | None
    _reach: int | None

    def __init__(self, role: Role, content: Content) -> None:
        if hasattr(self, "shape"):
            raise FrozenInstanceError
        if role not in ("user", "assistant"):
            raise ValueError(f"role must be 'user' or 'assistant', not {short_repr(role)}")
        role = "user" if role == "user" else "assistant"  # It may be of a class that derives from `str`.
        blocks = blocks_of(content)
        _fill(self, role, blocks, *_survey(role, blocks))

    def __init_subclass__(cls) -> Never:
        raise TypeError("Message cannot be subclassed: a history holds only messages that cannot change")

    @staticmethod
    def user(*content: Content) -> Message:
        """Make a user message.

        Args:
            content: text, blocks, or several of both.

        Returns:
            The message.

        Raises:
            TypeError: for content that is neither text nor blocks.
        """
        return Message("user", [block for item in content for block in blocks_of(item)])

    @staticmethod
    def assistant(*content: Content) -> Message:
        """Make an assistant message.

        Args:
            content: text, blocks, or several of both.

        Returns:
            The message.

        Raises:
            TypeError: for content that is neither text nor blocks.
        """
        return Message("assistant", [block for item in content for block in blocks_of(item)])

    @property
    def text(self) -> str:
        """Return its text blocks, joined by line breaks."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def calls(self) -> tuple[ToolUseBlock, ...]:
        """Return its calls, in order."""
        return tuple(block for block in self.content if isinstance(block, ToolUseBlock))

    @property
    def results(self) -> tuple[ToolResultBlock, ...]:
        """Return its results, in order."""
        return tuple(block for block in self.content if isinstance(block, ToolResultBlock))

    @property
    def replies(self) -> tuple[ReplyInfo, ...]:
        """Return what the provider said of each reply in it: id, model, stop reason, usage; not part of its value."""
        return self._replies

    @property
    def arrivals(self) -> tuple[Arrival, ...]:
        """Return the messages that were joined in it, if metadata came with any: no part of its value, and not sent."""
        found: Any = self._arrivals
        return found if type(found) is not bytes else arrival(len(self._plain or self.content), unpack(found))

    @property
    def refusal(self) -> str | None:
        """Return the words in which the model refused, else the stop reason that says so; None if nobody refused."""
        texts = [block.text for block in self.content if isinstance(block, TextBlock) and _refuses(block)]
        if texts:
            return "\n".join(texts)
        return next((reply.stop_reason for reply in self.replies if reply.is_refusal), None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        if self.role != other.role:
            return False
        if self._plain and self._plain == other._plain and kept_keys(self) == kept_keys(other):
            return True
        return self.content == other.content

    def __hash__(self) -> int:
        return hash((self.role, self.content))

    def __repr__(self) -> str:
        content = ", ".join(
            repr(block.text) if type(block) is TextBlock and block.meta is None else repr(block)
            for block in self.content
        )
        return f"Message.{self.role}({content})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restored, (self.role, self.content, self.replies, self.arrivals)


set_state_once(Message, "shape")


def _refuses(block: TextBlock) -> bool:
    """Return whether a text came as a refusal, which is a kind of part of its own."""
    extras = block.meta.extra.values() if block.meta is not None else ()
    return any(isinstance(extra, FrozenDict) and extra.get("type") == "refusal" for extra in extras)


def _survey(role: Role, blocks: Sequence[Block]) -> tuple[tuple[str, ...], int]:
    """Return the ids and the shape of a message."""
    calls: list[str] = []
    answers: list[str] = []
    clean = bool(blocks)
    for position, block in enumerate(blocks):
        kind = type(block)
        if kind is TextBlock:
            clean = clean and not (is_blank(block.text) and block.signature is None)  # type: ignore[attr-defined]
        elif isinstance(block, ToolUseBlock):
            calls.append(block.id)
            clean = clean and role == "assistant" and _complete(block)
        elif isinstance(block, ToolResultBlock):
            answers.append(block.tool_use_id)
            clean = clean and role == "user" and len(answers) == position + 1
            clean = clean and not block.is_error and not block.is_stub and block.tool_use_id != ""
            clean = clean and not may_be_stub(block.content)
            clean = clean and all(part.meta is None or not part.meta.converted for part in block.content)
        elif kind is SystemBlock:
            clean = False
        if block.meta is not None and block.meta.converted:
            clean = False
    clean = clean and len(set(calls)) == len(calls) and len(set(answers)) == len(answers)
    return tuple(calls if role == "assistant" else answers), SHAPES[role] if clean else NEEDS_REPAIR


def may_be_stub(content: tuple[Block, ...]) -> bool:
    """Return whether the content of a result begins as the text of a stub whose mark was lost."""
    return len(content) == 1 and type(content[0]) is TextBlock and content[0].text.startswith(STUB_OPENINGS)


STUB_OPENINGS: Final = ("[This call ", "[No result is recorded for this call.", *OPENINGS)
STUB_BEGINS: Final = frozenset(opening[0] for opening in STUB_OPENINGS)
"""How the texts of stubs begin, if the policy has no others."""


def _complete(call: ToolUseBlock) -> bool:
    return call.id != "" and not is_blank(call.name) and call.frozen_input is not NO_INPUT


# Attributes of a frozen class are set by their slots.
_new = object.__new__
_set_role = Message.role.__set__  # type: ignore[union-attr]
_set_ids = Message.ids.__set__  # type: ignore[attr-defined]
_set_shape = Message.shape.__set__  # type: ignore[attr-defined]
_set_arrivals = _Replied._arrivals.__set__  # type: ignore[union-attr, misc]
_set_kept = _Replied._kept.__set__  # type: ignore[attr-defined, misc]
_set_others = _Replied._others.__set__  # type: ignore[attr-defined, misc]
_set_replies = _Replied._replies.__set__  # type: ignore[attr-defined, misc]
_set_plain = Message._plain.__set__  # type: ignore[union-attr]
_set_reach = Message._reach.__set__  # type: ignore[union-attr]
_get_content = Message.content.__get__  # type: ignore[attr-defined]
_set_content = Message.content.__set__  # type: ignore[attr-defined]


def made_blocks(message: Message) -> tuple[Block, ...]:
    """Return the blocks of a message if somebody has asked for them; none if not."""
    try:
        return _get_content(message)  # type: ignore[no-any-return]
    except AttributeError:
        return ()


def _content(message: Message) -> tuple[Block, ...]:
    """Return the blocks of a message, made now if nobody has asked for them before."""
    blocks = made_blocks(message)
    if not blocks and items_of(message):
        blocks = blocks_of_plain(message.role, items_of(message), kept_keys(message))
        _set_content(message, blocks)
    return blocks


Message.content = property(_content)  # type: ignore[assignment]


def make_message(role: Role, content: tuple[Block, ...]) -> Message:
    return message_of_shape(role, content, *_survey(role, content))


def message_of_shape(role: Role, content: tuple[Block, ...], ids: tuple[str, ...], shape: int) -> Message:
    message = _new(Message)
    _fill(message, role, content, ids, shape)
    return message


def _fill(message: Message, role: Role, content: tuple[Block, ...], ids: tuple[str, ...], shape: int) -> None:
    _set_role(message, role)
    _set_content(message, content)
    _set_ids(message, ids)
    _set_shape(message, shape)
    _set_plain(message, None)
    _set_reach(message, None)
    # To find a slot empty takes twenty times as long as to fill it.
    _set_arrivals(message, ())
    _set_kept(message, ())
    _set_others(message, NOT_PLAIN)
    _set_replies(message, ())


class Unfinished(_Replied):
    """A message that is being made: its attributes are set as any others, at a third of the cost."""

    __slots__ = Message.__slots__


def plain_message_of_shape(
    role: Role, plain: Plain, ids: tuple[str, ...], shape: int, kept: Kept = (), *, others: Plain = NOT_PLAIN
) -> Message:
    """Make a message of a plain content, or of `others`, a content with packed blocks of a provider."""
    message: Any = Unfinished()
    message.role = role
    message.ids = ids
    message.shape = shape
    message._plain = plain
    message._reach = None
    message._kept = kept
    message._others = others
    message._arrivals = message._replies = ()
    message.__class__ = Message
    return message  # type: ignore[no-any-return]


def make_plain_message(role: Role, plain: Plain, kept: Kept = ()) -> Message:
    ids: list[str] = []
    clean = bool(plain)
    has_text = has_others = False
    for item in plain:
        if type(item) is str:
            has_text = True
            # As `is_blank`: to call it for each text and name takes 2 % of the reading of a pickle.
            if not item or item.isspace():
                clean = False
        elif role == "user":
            id, content = item
            ids.append(id)
            if not id or has_text or (type(content) is str and content.startswith(STUB_OPENINGS)):
                clean = False
            if type(content) is tuple and bytes in map(type, content):
                has_others = True
        elif len(item) == 3:
            id, name, _ = item
            ids.append(id)
            if not id or not name or name.isspace():
                clean = False
        elif type(item) is bytes:
            has_others = True
    if len(ids) > 1 and len(set(ids)) != len(ids):
        clean = False
    shape = SHAPES[role] if clean else NEEDS_REPAIR
    plain, others = (NOT_PLAIN, plain) if has_others else (plain, NOT_PLAIN)
    return plain_message_of_shape(role, plain, tuple(ids), shape, kept, others=others)


def others_of(message: Message) -> Plain:
    """Return the content of a message that is plain but for packed blocks of a provider; `NOT_PLAIN` of any other."""
    return message._others


def items_of(message: Message) -> Plain:
    """Return what is known of the content of a message without its blocks: see `plain_content` and `others_of`."""
    return message._plain or others_of(message)


def kept_keys(message: Message) -> Kept:
    """Return the packed keys that came with the plain content of a message; empty when none did."""
    return message._kept


def plain_content(message: Message) -> Plain:
    """Return the plain content of a message; `NOT_PLAIN` if it has none."""
    plain = message._plain
    if plain is None:
        plain, kept = plain_of(message.role, message.content)
        if kept:
            _set_kept(message, kept)  # First: another thread that sees the content looks for these.
        _set_plain(message, plain)
    return plain


def not_plain(messages: Iterable[Message]) -> list[Message]:
    """Return the messages that are not known to be plain, see `is_plain`."""
    return [message for message in messages if not message._plain]


def is_plain(message: Message) -> bool:
    """Return whether a message is known to be plain: no block is media, unknown or marked; see `kept_keys` for more."""
    return bool(message._plain)


def with_replies(message: Message, replies: tuple[ReplyInfo, ...]) -> Message:
    """Return a message with what its provider said of the replies in it; the same one for no replies."""
    return _beside(message, replies, message.arrivals) if replies else message


def with_arrivals(message: Message, arrivals: tuple[Arrival, ...]) -> Message:
    """Return a message with what it came as; the same one for nothing."""
    return _beside(message, message.replies, arrivals) if arrivals else message


def arrived(message: Message, metadata: Mapping[str, Any]) -> Message:
    """Set what the caller says of a message that nobody else has yet; packed, which takes a fifth of the time."""
    packed = pack(metadata) if type(metadata) is dict else None
    found = packed if packed is not None and metadata else arrival(len(message._plain or message.content), metadata)
    if found:
        _set_arrivals(message, found)
    return message


def arrived_whole(message: Message, packed: bytes) -> Message:
    """Give a message that nobody else has yet the packed metadata, which is not empty, that all of it came with."""
    _set_arrivals(message, packed)
    return message


def arrivals_as_json(message: Message) -> list[dict[str, Any]]:
    """Write what a message came as, in fresh dicts."""
    found: Any = message._arrivals
    if not found:
        return []
    if type(found) is bytes:
        return [{"end": len(message._plain or message.content), "metadata": unpack(found)}]
    return [{"end": each.end, "metadata": each.metadata} for each in found]


def like(message: Message, changed: Message) -> Message:
    """Give a changed message that nobody else has yet all that another, of as many blocks, holds besides its value."""
    return _with(changed, message.replies, message.arrivals)


def like_plain(message: Message, items: Plain) -> Message:
    """Return a message with other items of as many, for one that has `items_of`."""
    plain, others = (NOT_PLAIN, items) if message._others else (items, NOT_PLAIN)
    return plain_message_of_shape(message.role, plain, message.ids, message.shape, message._kept, others=others)


def _beside(message: Message, replies: tuple[ReplyInfo, ...], arrivals: tuple[Arrival, ...]) -> Message:
    items = items_of(message)
    if items:
        copy = like_plain(message, items)
    else:
        copy = message_of_shape(message.role, message.content, message.ids, message.shape)
    return _with(copy, replies, arrivals)


def _with(message: Message, replies: tuple[ReplyInfo, ...], arrivals: tuple[Arrival, ...]) -> Message:
    _set_replies(message, replies)
    _set_arrivals(message, arrivals)
    return message


def with_content(message: Message, content: tuple[Block, ...]) -> Message:
    """Return a message with other blocks, and the same replies and arrivals as far as their blocks are there."""
    arrivals = arrivals_in(content, message.content, message.arrivals) if message.arrivals else ()
    return _with(make_message(message.role, content), message.replies, arrivals)


def part_of(message: Message, blocks: tuple[Block, ...], role: Role | None = None) -> Message:
    """Return a message of some blocks of another, with the metadata that came with them and without its replies."""
    part = make_message(role if role is not None else message.role, blocks)
    return with_arrivals(part, arrivals_in(blocks, message.content, message.arrivals)) if message.arrivals else part


def piece_of(message: Message, blocks: tuple[Block, ...]) -> Message:
    """Return a piece of a message that is taken apart, with the metadata that ends in it and without its replies."""
    piece = make_message(message.role, blocks)
    return with_arrivals(piece, arrivals_ending_in(blocks, message.content, message.arrivals))


def _restored(
    role: Role, content: tuple[Block, ...], replies: tuple[ReplyInfo, ...], arrivals: tuple[Arrival, ...] = ()
) -> Message:
    """Return a message that was pickled."""
    return with_arrivals(with_replies(Message(role, content), replies), arrivals)


def bootstrap_message(text: str, dialect: str = "") -> Message:
    """Make the marked user message before a leading assistant; `dialect` is one that may be sent such a list."""
    return make_message("user", (TextBlock(text, meta=Meta(mark=Mark(kind="bootstrap", reason=dialect))),))


def is_bootstrap(message: Message | None) -> bool:
    if message is None or is_plain(message) or len(message.content) != 1:
        return False
    mark = message.content[0].mark
    return mark is not None and mark.kind == "bootstrap"
