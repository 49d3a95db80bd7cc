"""What to compile to, and the choices: one frozen value that travels to workers."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, Literal, final

from attrs import asdict, field, frozen
from attrs.validators import optional

from message_history.core.values.validators import one_of
from message_history_compile.targets import TARGETS
from message_history_compile.targets.base import NO_SETTINGS, Settings, Target

TRAIN: Final = "train"


def _check_split(_: object, __: object, value: object) -> None:
    if not isinstance(value, tuple):
        raise TypeError(f"split must be a tuple such as (('test', 0.1),), not {type(value).__name__}")
    if any(not name.isidentifier() or name == TRAIN or not 0 < part < 1 for name, part in value):
        raise ValueError(f"split must be names with parts between 0 and 1, such as (('test', 0.1),), not {value!r:.80}")
    if sum(part for _, part in value) >= 1:
        raise ValueError(f"split leaves nothing to train on: its parts are {[part for _, part in value]}")


@final
@frozen(kw_only=True)
class Plan:
    """What to compile conversations to.

    Args:
        target: the name of the target; see `TARGETS`.
        settings: the chat template, for the target that needs one; `read_template` reads it.
        thinking: whether thinking is kept, where the target has a place for it.
        synthetic: what becomes of results that the library wrote for calls without one: `mask` keeps them, marked as
            not to be learned from; `drop` drops such calls; `reject` rejects the conversation; None marks them where
            the target has a field for that, and drops the calls elsewhere.
        media: what becomes of images and documents that the target has no place for: `reject` rejects the
            conversation, `omit` compiles it without them.
        text_with_calls: whether text in a message with calls is kept; some templates of trainers refuse it.
        single_calls: whether parallel calls are written one after the other, each with its result.
        split: the names and parts of the splits besides `train`. A conversation's content decides where it goes.
        dedupe: whether a row that was there before, but for its receipt, is rejected.
        tokenizer: the folder or the file of a tokenizer, whose tokens are counted as well; None to count characters.
        dialect: the name of the dialect of the input; None to find it.
        format: the name of the format of the input; None to recognise it.

    Raises:
        TypeError: for a `split` that is not a tuple.
        ValueError: for any other choice.
    """

    target: str = field(validator=one_of(*TARGETS))
    settings: Settings = NO_SETTINGS
    thinking: bool = True
    synthetic: Literal["mask", "drop", "reject"] | None = field(
        default=None, validator=optional(one_of("mask", "drop", "reject"))
    )
    media: Literal["reject", "omit"] = field(default="reject", validator=one_of("reject", "omit"))
    text_with_calls: bool = True
    single_calls: bool = False
    split: tuple[tuple[str, float], ...] = field(default=(), validator=_check_split)
    dedupe: bool = False
    tokenizer: str | None = None
    dialect: str | None = None
    format: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.form.needs_template and not self.settings.template:
            raise ValueError(f"the target {self.target} needs a chat template: pass --template or `read_template`")

    @property
    def form(self) -> Target:
        """Return the target."""
        return TARGETS[self.target]

    @property
    def drops_unanswered(self) -> bool:
        """Return whether calls without a result are dropped."""
        return self.synthetic == "drop" or (self.synthetic is None and not self.form.tells)

    @property
    def splits(self) -> tuple[str, ...]:
        """Return the names of all splits."""
        return (TRAIN, *(name for name, _ in self.split))

    def split_of(self, digest: str) -> str:
        """Choose the split of a row: the same content is in the same split, in every run and order.

        Args:
            digest: the hash of the row's content, in hexadecimal digits.

        Returns:
            The name of the split.
        """
        place = int(digest[:12], 16) / 16**12
        for name, part in self.split:
            if place < part:
                return name
            place -= part
        return TRAIN

    def fingerprint(self) -> dict[str, Any]:
        """Return what identifies the plan, as JSON values. Raises `FileNotFoundError` without its tokenizer."""
        values = asdict(self, recurse=False)
        template = self.settings.template
        hashed = hashlib.sha256(template.encode()).hexdigest() if template is not None else None
        about = {"settings": [hashed, self.settings.tokens], "tokenizer": self._tokenizer_hash()}
        return json.loads(json.dumps({**values, **about}))  # type: ignore[no-any-return]

    def _tokenizer_hash(self) -> str | None:
        if self.tokenizer is None:
            return None
        from message_history_compile.tokens import tokenizer_file  # noqa: PLC0415 - an extra

        return hashlib.sha256(tokenizer_file(self.tokenizer).read_bytes()).hexdigest()


def checked_plan(plan: object) -> None:
    """Raise `TypeError` for anything but a plan, such as the name of a target."""
    if not isinstance(plan, Plan):
        raise TypeError(f"plan must be a Plan, not {type(plan).__name__}; write Plan(target=...)")
