"""One conversation compiled: a row with its receipt, or the reason why there is no row."""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, field, frozen

from message_history import DocumentBlock, ImageBlock, Repair, RepairCode, TextBlock
from message_history.dialects.registry import DIALECTS
from message_history.plain_json import write_plain
from message_history_compile.checks import check_drops, check_joins, check_masks, is_open_at_the_end
from message_history_compile.columns import with_images
from message_history_compile.errors import CannotCompileError
from message_history_compile.learning import pieces_of
from message_history_compile.targets.base import Sample
from message_history_compile.targets.forms import rewritten, single_calls, without_text
from message_history_compile.tools import functions_of
from message_history_compile.turns import omitted, turns_of

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.dialects import Dialect
    from message_history.files.conversations import Conversation
    from message_history_compile.learning import Piece
    from message_history_compile.plan import Plan
    from message_history_compile.targets.base import Target
    from message_history_compile.turns import Turn

# Without a handler, Python prints what is logged of each repair; the receipts have it.
logging.getLogger("message_history").addHandler(logging.NullHandler())

MOST_DETAIL: Final = 200
"""How much of a repair's words a receipt holds."""


@final
@frozen(kw_only=True)
class Source:
    """Where a conversation was read.

    Args:
        path: the file; empty for a row of a table.
        byte: where in the file its line begins; None when the conversation is not one line.
        hash: the SHA-256 of the input: of the line, of the file, or of the row's value.
        label: distinguishes the conversation from the others there; empty when it is alone.
    """

    path: str = ""
    byte: int | None = None
    hash: str = ""
    label: str = ""

    def values(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"source": self.path, "byte": self.byte, "hash": self.hash, "label": self.label}


@final
@frozen(kw_only=True)
class Row:
    """A row in the form of a target.

    Args:
        values: the row; its receipt is in it where the target has a place for it.
        line: the same as a line of JSON.
        receipt: where it comes from and what was changed.
        digest: the hash of its content: the same conversation under another id has the same.
        pieces: its messages, each with what it is to the trainer.
    """

    values: dict[str, Any] = field(repr=False)
    line: bytes = field(repr=False)
    receipt: dict[str, Any] = field(repr=False)
    digest: str
    pieces: tuple[Piece, ...] = field(default=(), repr=False)


@final
@frozen(kw_only=True)
class Rejected:
    """A conversation that was not compiled.

    Args:
        source: where it is.
        code: names the reason.
        why: the same in words.
    """

    source: Source
    code: str
    why: str

    def values(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**self.source.values(), "code": self.code, "reason": self.why}


def compile_conversation(
    conversation: Conversation, plan: Plan, source: Source, images: tuple[Any, ...] = (), *, may_mask: bool = True
) -> Row | Rejected:
    """Compile one conversation.

    `images` are those that its row has in a column of their own; `may_mask` is False where no message has a mask.
    """
    try:
        return _compiled(conversation, plan, source, images, may_mask=may_mask)
    except CannotCompileError as error:
        return Rejected(source=source, code=error.code, why=error.why)


def json_line(values: Any) -> bytes:
    """Write a JSON value as a line. Raises `UnicodeEncodeError` when a lone surrogate is in it."""
    return write_plain(values) + b"\n"


def digest_of(data: bytes) -> str:
    """Hash bytes."""
    return hashlib.sha256(data).hexdigest()


def _compiled(
    conversation: Conversation, plan: Plan, source: Source, images: tuple[Any, ...], *, may_mask: bool
) -> Row:
    target = plan.form
    dialect = DIALECTS[plan.dialect] if plan.dialect is not None else conversation.known
    history = conversation.history(dialect=dialect)
    messages = tuple(history)
    check_joins(conversation.file, dialect, messages, history.repairs)
    if plan.drops_unanswered and not (target.learns and is_open_at_the_end(messages)):
        check_drops(messages)
        history = history.without_unanswered()
    if not history:
        raise CannotCompileError("empty", "it holds no messages")
    if may_mask:
        check_masks(conversation.file.entries, history)
    turns, omissions = turns_of(history, thinking=plan.thinking and target.thinking)
    if plan.synthetic == "reject" and any(turn.synthetic for turn in turns):
        raise CannotCompileError("synthetic", "something in it had to be written by the library")
    if images:
        turns = with_images(turns, images)
    turns = _without_media(turns, plan, omissions)
    turns = _with_calls_as_planned(turns, plan, omissions)
    if target.learns:
        turns = _learnable(turns, target, omissions)
    tools, unknown = functions_of(conversation.tools)
    sample = Sample(
        id=conversation.origin.id or "-".join(filter(None, (source.hash[:16], source.label))),
        turns=turns,
        tools=tools,
        agent=conversation.origin.format,
        omissions=[*omissions, *unknown],
    )
    values = target.row(sample, plan.settings)
    receipt = _receipt(conversation, dialect, source, [*history.repairs, *sample.omissions])
    try:
        return _row(target, sample, values, receipt)
    except UnicodeEncodeError:
        receipt["repairs"].append(
            _repair(Repair(code=RepairCode.REWRITTEN, index=0, detail="lone surrogates as U+FFFD"))
        )
        return _row(target, evolve(sample, id=_well_formed(sample.id)), _well_formed(values), _well_formed(receipt))


def _row(target: Target, sample: Sample, values: dict[str, Any], receipt: dict[str, Any]) -> Row:
    head = {target.id_key: sample.id} if target.id_key is not None else {}
    tail = target.receipt(sample, receipt) if target.receipt is not None else {}
    content = json_line(values)
    digest = digest_of(content if "tools" in values else content + json_line(sample.tools))
    # Each part is encoded once, and the objects are spliced: the encoder costs more than all else that is done here.
    parts = [json_line(part)[1:-2] for part in (head, tail) if part]
    line = b"{" + b",".join([*parts[:1][: len(head)], content[1:-2], *parts[len(head) :]]) + b"}\n"
    pieces = pieces_of(sample.turns, target)
    return Row(values={**head, **values, **tail}, line=line, receipt=receipt, digest=digest, pieces=pieces)


def _learnable(turns: list[Turn], target: Target, omissions: list[Repair]) -> list[Turn]:
    """Return the turns up to the last assistant message, from which something can be learned.

    Where the target has no mask, they end before the first assistant message that must not be learned.
    """
    stop = len(turns)
    if not target.masks:
        stop = next((n for n, turn in enumerate(turns) if turn.role == "assistant" and not turn.train), stop)
    end = next((n for n in range(stop, 0, -1) if turns[n - 1].role == "assistant"), 0)
    if not any(turn.train for turn in turns):
        raise CannotCompileError("nothing_to_learn", _why_nothing(turns))
    if not end:
        why = f"its first assistant message must not be learned, and {target.name} has no mask that its taker reads"
        raise CannotCompileError("no_mask", why)
    if end < len(turns):
        omissions.append(omitted(end, _why_cut(len(turns) - end, is_masked=stop < len(turns))))
    return turns[:end]


def _why_cut(count: int, *, is_masked: bool) -> str:
    if is_masked:
        return f"{count} from the first assistant message on that must not be learned, for the target has no mask"
    return f"{count} after the last assistant message, from which nothing is learned"


def _why_nothing(turns: list[Turn]) -> str:
    if not any(turn.role == "assistant" for turn in turns):
        return "it has no assistant message"
    return "every assistant message has a mask, or the library wrote a part of it"


def _with_calls_as_planned(turns: list[Turn], plan: Plan, omissions: list[Repair]) -> list[Turn]:
    if plan.single_calls and any(len(turn.calls) > 1 for turn in turns):
        omissions.append(rewritten(0, "parallel calls one after the other"))
        turns = single_calls(turns)
    if not plan.text_with_calls and any(turn.calls and turn.text for turn in turns):
        omissions.append(omitted(0, "text next to calls, as was asked for"))
        turns = without_text(turns)
    return turns


def _without_media(turns: list[Turn], plan: Plan, omissions: list[Repair]) -> list[Turn]:
    """Omit what the target has no place for, or reject the conversation for it."""
    taken = plan.form.media
    if "*" in taken or not any(turn.parts for turn in turns):
        return turns
    changed = []
    for position, turn in enumerate(turns):
        foreign = [part for part in turn.parts if not (type(part) is TextBlock or _kind(part, turn) in taken)]
        for part in foreign:
            if plan.media == "reject" and isinstance(part, ImageBlock | DocumentBlock):
                raise CannotCompileError("media", f"{plan.target} has no place for {_named(part, turn)}")
            omissions.append(omitted(position, f"{_kind(part, turn)}, which {plan.target} has no place for", part))
        kept = tuple(part for part in turn.parts if part not in foreign)
        mixed = kept if any(type(part) is not TextBlock for part in kept) else ()
        new = turn._replace(parts=mixed)
        if new.is_empty:
            why = f"{plan.target} has no place for {_named(foreign[0], turn)}, and nothing is left of the message"
            raise CannotCompileError("media", why)
        changed.append(new)
    return changed


def _named(part: Block, turn: Turn) -> str:
    return f"{'an' if isinstance(part, ImageBlock) else 'a'} {_kind(part, turn)}"


def _kind(part: Block, turn: Turn) -> str:
    place = {"tool": "a result", "assistant": "an assistant message"}.get(turn.role, "a user message")
    if isinstance(part, ImageBlock):
        return f"image in {place}"
    return f"document in {place}" if isinstance(part, DocumentBlock) else f"block of a provider in {place}"


def _receipt(
    conversation: Conversation, dialect: Dialect[Any] | None, source: Source, repairs: list[Repair]
) -> dict[str, Any]:
    receipt: dict[str, Any] = {
        **source.values(),
        "format": conversation.origin.format,
        "dialect": (dialect if dialect is not None else conversation.dialect(as_request=True)).name,
        "repairs": [_repair(repair) for repair in repairs],
    }
    if conversation.file.notes:
        receipt["notes"] = [{"line": note.line, "detail": note.detail} for note in conversation.file.notes]
    if conversation.omitted:
        receipt["omitted"] = dict(conversation.omitted)
    return receipt


def _repair(repair: Repair) -> dict[str, Any]:
    return {
        "code": repair.code.value,
        "severity": repair.severity.value,
        "entry": repair.source,
        "detail": repair.detail[:MOST_DETAIL],
    }


def _well_formed(value: Any) -> Any:
    """Replace lone surrogates, which neither UTF-8 nor Arrow can hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_well_formed(key): _well_formed(inner) for key, inner in value.items()}
    return [_well_formed(inner) for inner in value] if isinstance(value, list) else value
