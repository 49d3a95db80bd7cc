"""A message: a role and its blocks, with what adding it needs to know of them.

A message is checked alone: nothing here looks at another message. It may hold what a history would not keep (blank
text, a misplaced block); the history decides what becomes of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Never, TypeAlias, final

from attrs import evolve, field, frozen
from attrs.exceptions import FrozenInstanceError

from message_history.core.blocks import (
    NO_INPUT,
    Block,
    Content,
    Mark,
    Meta,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    blocks_of,
    is_blank,
    text_block,
)
from message_history.core.json_values import short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CLEAN_ASSISTANT",
    "CLEAN_USER",
    "NEEDS_REPAIR",
    "SHAPES",
    "Message",
    "Role",
    "has_thinking",
    "invalidate_thinking",
    "known_message",
    "make_message",
    "may_be_stub",
    "text_message",
]

Role: TypeAlias = Literal["user", "assistant"]


NEEDS_REPAIR: Final = 0
CLEAN_ASSISTANT: Final = 1
CLEAN_USER: Final = 2
SHAPES: Final[dict[Role, int]] = {"assistant": CLEAN_ASSISTANT, "user": CLEAN_USER}


@final
@frozen(init=False, repr=False)
class Message:
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
    ids: tuple[str, ...] = field(eq=False)
    shape: int = field(eq=False)

    def __attrs_pre_init__(self) -> None:
        if hasattr(self, "shape"):
            raise FrozenInstanceError

    def __init__(self, role: Role, content: Content) -> None:
        if role not in ("user", "assistant"):
            raise ValueError(f"role must be 'user' or 'assistant', not {short_repr(role)}")
        blocks = blocks_of(content)
        self.__attrs_init__(role, blocks, *_survey(role, blocks))

    def __init_subclass__(cls) -> Never:
        raise TypeError("Message cannot be subclassed: what is in a history must be one that cannot change")

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

    def __repr__(self) -> str:
        content = ", ".join(
            repr(block.text) if type(block) is TextBlock and block.meta is None else repr(block)
            for block in self.content
        )
        return f"Message.{self.role}({content})"

    def __reduce__(self) -> tuple[type[Message], tuple[Role, tuple[Block, ...]]]:
        return Message, (self.role, self.content)


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


STUB_OPENINGS: Final = ("[This call ", "[No result is recorded for this call.")
"""How the texts of stubs begin, if the policy has no others."""


def _complete(call: ToolUseBlock) -> bool:
    return call.id != "" and not is_blank(call.name) and call.frozen_input is not NO_INPUT


# Makers for the parsers and the state machine, as in `blocks`.
_new = object.__new__
_set_role = Message.role.__set__  # type: ignore[union-attr]
_set_content = Message.content.__set__  # type: ignore[attr-defined]
_set_ids = Message.ids.__set__  # type: ignore[attr-defined]
_set_shape = Message.shape.__set__  # type: ignore[attr-defined]


def make_message(role: Role, content: tuple[Block, ...]) -> Message:
    """Make a message of blocks that are known to be blocks.

    Args:
        role: its role.
        content: its blocks.

    Returns:
        The message.
    """
    return known_message(role, content, *_survey(role, content))


def known_message(role: Role, content: tuple[Block, ...], ids: tuple[str, ...], shape: int) -> Message:
    """Make a message whose ids and shape are known.

    Args:
        role: its role.
        content: its blocks.
        ids: see `Message`.
        shape: see `Message`.

    Returns:
        The message.
    """
    message = _new(Message)
    _set_role(message, role)
    _set_content(message, content)
    _set_ids(message, ids)
    _set_shape(message, shape)
    return message


def text_message(role: Role, text: str) -> Message:
    """Make a message of one text that is not blank."""
    return known_message(role, (text_block(text),), (), SHAPES[role])


def bootstrap_message(text: str) -> Message:
    """Make the marked user message that leads a history whose list began with the assistant."""
    return make_message("user", (TextBlock(text, meta=Meta(mark=Mark(kind="bootstrap"))),))


def is_bootstrap(message: Message | None) -> bool:
    """Return whether a message is nothing but that placeholder."""
    if message is None or len(message.content) != 1:
        return False
    mark = message.content[0].mark
    return mark is not None and mark.kind == "bootstrap"


def has_thinking(message: Message) -> bool:
    """Return whether a message holds thinking."""
    for block in message.content:  # noqa: SIM110  # `any` takes three times as long, and a repaired list asks often
        if isinstance(block, _THINKING):
            return True
    return False


_THINKING: Final = (ThinkingBlock, RedactedThinkingBlock)


def invalidate_thinking(message: Message) -> Message:
    """Return a message whose thinking is invalidated: what came before it is not what its issuer saw."""
    content = (
        evolve(block, bound=False) if isinstance(block, ThinkingBlock | RedactedThinkingBlock) else block
        for block in message.content
    )
    return known_message(message.role, tuple(content), message.ids, message.shape)
