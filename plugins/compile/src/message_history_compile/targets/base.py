"""What a target is: a form of rows, and what it has a place for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history import Repair
    from message_history_compile.turns import Turn


@final
@frozen(kw_only=True)
class Settings:
    """What a target is given besides the sample.

    Args:
        template: the text of a chat template.
        tokens: the special tokens that the template names, as `bos_token`.
    """

    template: str | None = field(default=None, repr=False)
    tokens: tuple[tuple[str, str], ...] = ()


NO_SETTINGS: Final = Settings()


@final
@frozen(kw_only=True)
class Sample:
    """One conversation on its way into a row.

    Args:
        tools: the definitions of its tools, as functions of Chat Completions.
        agent: the program that recorded it.
        omissions: what was omitted so far; a target adds to it.
    """

    id: str
    turns: list[Turn]
    tools: list[dict[str, Any]] = field(factory=list)
    agent: str = ""
    omissions: list[Repair] = field(factory=list)

    @property
    def system(self) -> str:
        """Return the system prompt, or an empty text."""
        return self.turns[0].text if self.turns and self.turns[0].role == "system" else ""

    @property
    def after_system(self) -> Sequence[Turn]:
        """Return the turns after the system prompt."""
        return self.turns[1:] if self.system else self.turns


@final
@frozen(kw_only=True)
class Target:
    """A form that a trainer or an evaluator takes.

    Args:
        name: names it on the command line.
        title: says who takes it.
        row: makes what a row says of a sample, without its id; the turns obey what is said below.
        receipt: makes the last keys of a row from a sample and its receipt; None where the taker refuses other keys.
        id_key: the key of a row's id; None when it has none.
        learns: whether a model is trained on the rows: they end with the assistant, and something is to be learned.
        masks: whether its taker reads a mark on an assistant message that is not to be learned from.
        tells: whether the rows say which results the library wrote.
        thinking: whether it has a place for thinking.
        media: the types of blocks besides text that it has a place for.
        features: the types of the row's keys, as YAML that a data set's card holds, indented by two; empty for Parquet.
        beside: makes the other files, which say how rows are loaded: their names and texts, from the splits.
        arrow: whether rows are written as Parquet, in the one schema of `message_history_compile.arrow`.
        needs_template: whether it needs a chat template.
        source: the code or page that the facts are from.
        checked: the date on which they were compared with it.
    """

    name: str
    title: str
    row: Callable[[Sample, Settings], dict[str, Any]] = field(repr=False)
    receipt: Callable[[Sample, dict[str, Any]], dict[str, Any]] | None = field(default=None, repr=False)
    id_key: str | None = None
    learns: bool = True
    masks: bool = True
    tells: bool = False
    thinking: bool = True
    media: frozenset[str] = frozenset()
    features: str = field(default="", repr=False)
    beside: Callable[[Sequence[str]], Mapping[str, str]] | None = field(default=None, repr=False)
    arrow: bool = False
    needs_template: bool = False
    source: str
    checked: str = "2026-11-22"


def features_of(**types: str) -> str:
    """Write the types of a row's keys as the card of a data set has them.

    The type of a key is `string`, `json`, or `list` for a list of JSON values of any kind; returns YAML.
    """
    return "".join(
        f"  - name: {name}\n    {'list: json' if kind == 'list' else f'dtype: {kind}'}\n"
        for name, kind in types.items()
    )
