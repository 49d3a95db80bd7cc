"""A history as trainers take it: plain turns, each with whether the library wrote some of it."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, final

from message_history import (
    RedactedThinkingBlock,
    Repair,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import is_blank
from message_history.core.messages.message import is_plain, kept_keys, plain_content
from message_history.core.messages.plain import input_of, meta_of_keys
from message_history.core.values.json_values import with_whole_pairs
from message_history_compile.masks import is_masked, is_ours, metas_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history import Message, MessageHistory
    from message_history.core.values.meta import Meta

TurnRole: TypeAlias = Literal["system", "user", "assistant", "tool"]
BETWEEN_TEXTS: Final = "\n\n"
_OURS_IN_CALLS: Final = frozenset({RepairCode.NAME_ASSIGNED, RepairCode.INPUT_ASSIGNED})
"""Repairs that write something into an assistant message; an assigned id is not text that a model learns."""
_NOTES: Final = frozenset({"renamed", "approval", "decided"})
"""Marks that say what is known of a block, of which others wrote all."""


@final
class Call(NamedTuple):
    """A call.

    Args:
        name: the tool.
        input: what the tool is given; yours to change.
        arguments: the same as JSON text, as its provider wrote it.
    """

    id: str
    name: str
    input: dict[str, Any]
    arguments: str


@final
class Turn(NamedTuple):
    """A message of one role.

    Args:
        role: the role; each result of a tool is a separate turn.
        reasoning: the assistant's thinking.
        call_id: the call that a result answers.
        name: the tool of a result.
        is_error: whether a result says that the tool failed.
        parts: all blocks in order, if some of them are not text; else none.
        synthetic: whether the library wrote some of it.
        masked: whether the input says that it is not to be learned.
    """

    role: TurnRole
    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    name: str = ""
    is_error: bool = False
    parts: tuple[Block, ...] = ()
    synthetic: bool = False
    masked: bool = False

    @property
    def train(self) -> bool:
        """Return whether a trainer may learn from the turn: a model wrote all of it, and it came without a mask."""
        return self.role == "assistant" and not (self.synthetic or self.masked)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is in it."""
        return not (self.parts or self.calls or self.role == "tool") and is_blank(self.text) and not self.reasoning


def turns_of(history: MessageHistory, *, thinking: bool = True) -> tuple[list[Turn], list[Repair]]:
    """Part a history into turns.

    Calls of `history` without a result have stubs. The system prompt is first; what was omitted comes with the turns.
    """
    omissions: list[Repair] = []
    turns = [Turn("system", history.system)] if history.system is not None else []
    repairs = history.repairs
    ours = {repair.index for repair in repairs if repair.code in _OURS_IN_CALLS}
    # What was taken out of a message may have been what its mask came with.
    masked = {repair.index for repair in repairs if is_masked(_metas(repair.removed))}
    names: dict[str, str] = {}
    for index, message in enumerate(history):
        if message.role == "assistant":
            turn = _plain_assistant(message, thinking=thinking) if is_plain(message) else None
            turn = turn or _assistant(message, index, omissions, thinking=thinking)
            names = {call.id: call.name for call in turn.calls}
            turn = turn._replace(masked=True) if index in masked else turn
            turns.append(turn._replace(synthetic=True) if index in ours else turn)
        else:
            turns += _plain_user(message, names) if is_plain(message) else _user(message, index, omissions, names)
    return _without_empty(turns, omissions), omissions


def omitted(index: int, why: str, *removed: Block) -> Repair:
    """Record what a target has no place for."""
    return Repair(code=RepairCode.WITHHELD, index=index, removed=removed, detail=why)


def joined_texts(first: str, second: str) -> str:
    """Join two texts, either of which may be empty."""
    return f"{first}{BETWEEN_TEXTS}{second}" if first and second else first or second


def _assistant(message: Message, index: int, omissions: list[Repair], *, thinking: bool) -> Turn:
    texts: list[str] = []
    reasoning: list[str] = []
    calls: list[Call] = []
    parts: list[Block] = []
    synthetic = False
    for block in message.content:
        kind = type(block)
        if kind is TextBlock:
            texts.append(block.text)  # type: ignore[attr-defined]
            parts.append(block)
        elif kind is ToolUseBlock:
            call, is_readable = _call(block)  # type: ignore[arg-type]
            synthetic = synthetic or not is_readable
            calls.append(call)
        elif isinstance(block, ThinkingBlock) and thinking and not is_blank(block.thinking):
            reasoning.append(block.thinking)
        elif isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            omissions.append(omitted(index, "thinking" if not thinking else "thinking without a text", block))
        else:
            parts.append(block)
        synthetic = synthetic or _is_written(block)
    metas = [block.meta for block in message.content if block.meta is not None]
    return Turn(
        "assistant",
        _joined(texts),
        "\n".join(reasoning),
        tuple(calls),
        parts=_mixed(parts),
        synthetic=synthetic or is_ours(metas),
        masked=is_masked(metas),
    )


def _plain_assistant(message: Message, *, thinking: bool) -> Turn | None:
    """Make the turn of a plain content without its blocks; None where one of them is to be recorded as omitted."""
    texts: list[str] = []
    reasoning: list[str] = []
    calls: list[Call] = []
    for item in plain_content(message):
        if type(item) is str:
            texts.append(with_whole_pairs(item))
        elif len(item) == 3:
            id, name, packed = item
            input = input_of(packed)
            calls.append(Call(id, name, input, packed if type(packed) is str else _ENCODE(input)))
        else:
            text = item[0][0] if len(item) == 1 else item[0]
            if not thinking or is_blank(text):
                return None
            reasoning.append(with_whole_pairs(text))
    turn = Turn("assistant", _joined(texts), "\n".join(reasoning), tuple(calls))
    if not kept_keys(message):
        return turn
    return turn._replace(synthetic=any(map(_is_ours, kept_keys(message))), masked=is_masked(metas_of(message)))


def _joined(texts: Iterable[str]) -> str:
    return BETWEEN_TEXTS.join([text for text in texts if not is_blank(text)])


def _metas(removed: Iterable[Any]) -> list[Meta | None]:
    return [each.meta for each in removed if isinstance(each, Block)]


def _call(block: ToolUseBlock) -> tuple[Call, bool]:
    """Make a call; False when its input is not JSON, so that the library wrote the input."""
    input, is_readable = block.input, block.readable
    written = block.arguments if is_readable else None
    return Call(block.id, block.name, input, written or _ENCODE(input)), is_readable


_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode


def _user(message: Message, index: int, omissions: list[Repair], names: dict[str, str]) -> Iterable[Turn]:
    parts: list[Block] = []
    for block in message.content:
        if isinstance(block, ToolResultBlock):
            yield _result(block, names.get(block.tool_use_id, ""))
        elif isinstance(block, SystemBlock):
            yield from _user_turn(parts)
            parts = []
            yield Turn("system", block.text)
        elif isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            omissions.append(omitted(index, "thinking in a user message", block))
        else:
            parts.append(block)
    yield from _user_turn(parts)


def _plain_user(message: Message, names: dict[str, str]) -> Iterable[Turn]:
    """Yield the turns of a plain content, which nothing is omitted of, without its blocks."""
    texts: list[str] = []
    synthetic = False
    for item, kept in zip(plain_content(message), kept_keys(message) or repeat(None)):  # noqa: B905 - without an end
        if type(item) is str:
            texts.append(with_whole_pairs(item))
            synthetic = synthetic or _is_ours(kept)
        else:
            id, content = item
            text = with_whole_pairs(content) if type(content) is str else "\n".join(map(with_whole_pairs, content))
            yield Turn("tool", text, call_id=id, name=names.get(id, ""), synthetic=_is_ours(kept))
    if texts:
        yield Turn("user", BETWEEN_TEXTS.join(texts), synthetic=synthetic)


@lru_cache(maxsize=1_000)
def _is_ours(kept: bytes | None) -> bool:
    """Return whether what travels with an item of a plain content says that the library wrote it; its mark does not."""
    meta = meta_of_keys(kept)
    return meta is not None and is_ours((meta,))


def _user_turn(parts: Sequence[Block]) -> Iterable[Turn]:
    if parts:
        text = BETWEEN_TEXTS.join(block.text for block in parts if isinstance(block, TextBlock))
        synthetic = any(map(_is_written, parts)) or is_ours(_metas(parts))
        yield Turn("user", text, parts=_mixed(parts), synthetic=synthetic)


def _result(block: ToolResultBlock, name: str) -> Turn:
    return Turn(
        "tool",
        block.text,
        call_id=block.tool_use_id,
        name=name,
        is_error=block.is_error,
        parts=_mixed(block.content),
        synthetic=_is_written(block) or is_ours((block.meta,)),
    )


def _is_written(block: Block) -> bool:
    """Return whether the library wrote a block, or a text in a result."""
    inner = block.content if isinstance(block, ToolResultBlock) else ()
    return (block.mark is not None and block.mark.kind not in _NOTES) or any(map(_is_written, inner))


def _mixed(parts: Sequence[Block]) -> tuple[Block, ...]:
    return tuple(parts) if any(type(part) is not TextBlock for part in parts) else ()


def _without_empty(turns: list[Turn], omissions: list[Repair]) -> list[Turn]:
    """Omit turns in which nothing is left, and join the neighbours that then have the same role."""
    if not any(turn.is_empty for turn in turns):
        return turns
    kept: list[Turn] = []
    for position, turn in enumerate(turns):
        if turn.is_empty:
            omissions.append(omitted(position, f"a message of the role {turn.role} of which nothing is left"))
        elif kept and turn.role == kept[-1].role == "user":
            kept[-1] = join_users(kept[-1], turn)
        else:
            kept.append(turn)
    return kept


def join_users(first: Turn, second: Turn) -> Turn:
    """Join two user turns."""
    parts: tuple[Block, ...] = ()
    if first.parts or second.parts:
        parts = (*(first.parts or (TextBlock(first.text),)), *(second.parts or (TextBlock(second.text),)))
    return first._replace(
        text=joined_texts(first.text, second.text), parts=parts, synthetic=first.synthetic or second.synthetic
    )
