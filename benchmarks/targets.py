"""The figures to reach, and whether a run reached them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.contenders import DIALECTS
from benchmarks.operations import COPY, JSON, LISTS, OURS

if TYPE_CHECKING:
    from benchmarks.results import Ratio, Speed, Subject

__all__ = ["TARGETS", "Condition", "Reached", "Target", "number", "reached"]

TO_10_000: Final = (10, 100, 1_000, 10_000)
# One damage in ten messages is more than one in a hundred.
DAMAGED: Final = (100, 1_000, 10_000)


class Condition(NamedTuple):
    """One figure to reach, at every size that it is measured at.

    Args:
        words: what stands behind the figure.
        subject: a contender and its operation.
        reference: what it is compared with; None for a figure of its own.
        limit: the figure.
        at_least: whether the figure is a least one; else it is a most.
        sizes: the sizes that count; all that were measured when empty.
        unit: what a figure of its own is divided by.
    """

    words: str
    subject: Subject
    reference: Subject | None
    limit: float
    at_least: bool = False
    sizes: tuple[int, ...] = ()
    unit: float = 1.0

    def worst(self, speed: Speed) -> tuple[int, Ratio] | None:
        """Find the worst figure of a run.

        Args:
            speed: the run.

        Returns:
            The size, and the figure at it; None when it was not measured.
        """
        found: list[tuple[int, Ratio]] = []
        for size in self.sizes or speed.sizes(self.subject):
            if self.reference is not None:
                ratio = speed.ratio(self.subject, self.reference, size)
            else:
                ratio = speed.value(self.subject, size)
            if ratio is not None:
                found.append(
                    (size, ratio._replace(**{name: value / self.unit for name, value in ratio._asdict().items()}))
                )
        return (min if self.at_least else max)(found, key=lambda each: each[1].median, default=None)

    def meets(self, ratio: Ratio) -> bool:
        """Tell whether a figure is reached."""
        return ratio.median >= self.limit if self.at_least else ratio.median <= self.limit


class Target(NamedTuple):
    """One row of the table.

    Args:
        operation: what is measured.
        target: what is to be reached.
        stretch: what would be better still; empty for nothing.
        conditions: the same as figures.
        fact: a name of what else must be so; see `facts`.
    """

    operation: str
    target: str
    stretch: str
    conditions: tuple[Condition, ...]
    fact: str = ""


class Reached(NamedTuple):
    """What a run says of a row.

    Args:
        measured: the figures in words.
        met: whether all are reached; None when one was not measured.
    """

    measured: str
    met: bool | None


TARGETS: Final = (
    Target(
        "`add(Message)`, any n",
        "≤ 25 x `list.append` of a ready object; at 1,000,000 ≤ 1.3 x at 10",
        "20 x",
        (
            Condition("x `list.append`", (OURS, "append"), (LISTS, "append"), 25),
            Condition("x at 10", (OURS, "append"), (OURS, "append_small"), 1.3),
        ),
    ),
    Target(
        "10,000 adds of one role (pieces of a stream)",
        "≤ 5 µs each, linear",
        "",
        (
            Condition("µs each", (OURS, "pieces"), None, 5, unit=1e-6),
            Condition("x the appends of a list", (OURS, "pieces"), (LISTS, "build"), 400),
        ),
    ),
    Target(
        "`add(dict)`",
        "≤ 5 x `add(Message)`, flat",
        "4 x",
        (Condition("x `add(Message)`", (OURS, "append_dict"), (OURS, "append"), 5),),
    ),
    Target(
        "append at n = 10,000",
        "≥ 5,000 x faster than LangGraph's `add_messages`",
        "10,000 x",
        (Condition("x faster", ("langgraph", "append"), (OURS, "append"), 5_000, at_least=True, sizes=(10_000,)),),
    ),
    Target(
        "`from_list(dicts)`, clean, 100 to 10,000 messages; at 10; a coding agent's",
        "≤ 0.8 x `json.loads`; 1.2 x; 0.45 x; ≥ 8 x faster than pydantic-ai's `validate_json`",
        "0.6 x; 1.0 x; 0.3 x; 12 x",
        (
            Condition("x `json.loads`", (OURS, "ingest_dicts"), (JSON, "ingest_json"), 0.8, sizes=DAMAGED),
            Condition("x `json.loads`", (OURS, "ingest_dicts"), (JSON, "ingest_json"), 1.2, sizes=(10,)),
            Condition(
                *("x `json.loads`, coding agent", (OURS, "coding_ingest_dicts"), (JSON, "coding_ingest_json"), 0.45),
                sizes=DAMAGED,
            ),
            Condition(
                *("x faster than pydantic-ai", ("pydantic-ai", "ingest_json"), (OURS, "ingest_dicts"), 8),
                at_least=True,
                sizes=TO_10_000,
            ),
        ),
    ),
    Target(
        "`from_list(dicts)`, 1 % damaged",
        "≤ 1.3 x `json.loads`; faster than turnsafe's `repair`",
        "1.0 x",
        (
            Condition("x `json.loads`", (OURS, "repair"), (JSON, "repair"), 1.3, sizes=DAMAGED),
            Condition(
                *("x `json.loads`, coding agent", (OURS, "coding_repair"), (JSON, "coding_repair"), 1.3), sizes=DAMAGED
            ),
            Condition(
                *("x faster than turnsafe", ("turnsafe", "repair"), (OURS, "repair"), 1),
                at_least=True,
                sizes=DAMAGED,
            ),
        ),
    ),
    Target(
        "`for_send()`, to 10,000 messages",
        "≤ 0.2 x `copy.deepcopy`; at 10 messages 0.4 x; ≥ 4 x faster than pydantic-ai's mapping",
        "0.12 x",
        (
            Condition("x `copy.deepcopy`", (OURS, "export"), (COPY, "export"), 0.2, sizes=DAMAGED),
            Condition("x `copy.deepcopy`", (OURS, "export"), (COPY, "export"), 0.4, sizes=(10,)),
            Condition(
                *("x `copy.deepcopy`, coding agent", (OURS, "coding_export"), (COPY, "coding_export"), 0.2),
                sizes=DAMAGED,
            ),
            Condition(
                *("x faster than pydantic-ai", ("pydantic-ai", "export"), (OURS, "export"), 4),
                at_least=True,
                sizes=TO_10_000,
            ),
        ),
    ),
    Target(
        "`for_send_json(dialect)`, sent before, at 1,000 and 10,000",
        "≥ 30 x faster than `json.dumps`; what was sent stays, byte for byte",
        "100 x",
        (
            Condition(
                *("x faster", (JSON, "export_json"), (OURS, "export_json"), 30), at_least=True, sizes=(1_000, 10_000)
            ),
        ),
        "same bytes",
    ),
    Target(
        "`for_send_json(dialect)` after one more turn, at 1,000 and 10,000",
        "≥ 30 x faster than `json.dumps`",
        "100 x",
        (
            Condition(
                *("x faster", (JSON, "export_json_again"), (OURS, "export_json_again"), 30),
                at_least=True,
                sizes=(1_000, 10_000),
            ),
            Condition(
                *("x faster, coding agent", (JSON, "coding_export_json_again"), (OURS, "coding_export_json_again"), 30),
                at_least=True,
                sizes=(1_000, 10_000),
            ),
        ),
    ),
    Target(
        "memory of a loaded history",
        "≤ 0.7 x the raw dicts",
        "0.6 x",
        (Condition("x the dicts", (OURS, "memory"), (LISTS, "memory"), 0.7, sizes=(100, 1_000, 10_000)),),
    ),
    Target(
        "a window of the newer half, 10,000 messages",
        "≤ 1 ms",
        "0.1 ms",
        (
            Condition("ms", (OURS, "trim"), None, 1, sizes=(10_000,), unit=1e-3),
            Condition("ms just after reading", (OURS, "trim_first"), None, 1, sizes=(10_000,), unit=1e-3),
        ),
    ),
    Target(
        "pickle and back",
        "faster than pydantic-ai and langchain-core at every size",
        "3 x a list",
        (
            Condition("x pydantic-ai", (OURS, "pickle"), ("pydantic-ai", "pickle"), 1),
            Condition("x langchain-core", (OURS, "pickle"), ("langchain-core", "pickle"), 1),
        ),
    ),
    Target(
        "100 forks of 10,000 messages, one message each",
        "≤ 1.2 x the memory of one; a fork ≤ 5 µs",
        "1 µs",
        (
            Condition("x the memory of one", (OURS, "fork_memory"), (OURS, "memory"), 1.2, sizes=(10_000,)),
            Condition("µs", (OURS, "fork"), None, 5, sizes=(10_000,), unit=1e-6),
        ),
    ),
    Target(
        "other dialects' `for_send`, at 1,000 and 10,000",
        "≤ 1.8 x Anthropic's, Mistral and Portable 2.2 x",
        "1.5 x",
        tuple(
            Condition(
                *(f"x {name}", (f"{OURS} to {name}", "export"), (OURS, "export")),
                2.2 if name in ("Mistral", "Portable") else 1.8,
                sizes=(1_000, 10_000),
            )
            for name in DIALECTS
        ),
    ),
    Target(
        "`import message_history` in a fresh process",
        "≤ 40 ms, attrs included; no optional package imported",
        "30 ms",
        (Condition("ms", (OURS, "import"), None, 40, unit=1e-3),),
        "nothing optional",
    ),
    Target(
        "`message-history --help`",
        "≤ 150 ms",
        "100 ms",
        (Condition("ms", (OURS, "help"), None, 150, unit=1e-3),),
    ),
)


def reached(target: Target, speed: Speed, validity: dict[str, Any]) -> Reached:
    """Tell what a run says of a row.

    Args:
        target: the row.
        speed: the run.
        validity: what the judge found.

    Returns:
        The worst figure of each condition, and whether all are reached.
    """
    measured, met = [], list[bool | None]()
    for condition in target.conditions:
        worst = condition.worst(speed)
        if worst is None:
            measured.append(f"not measured: {condition.words}")
            met.append(None)
            continue
        size, ratio = worst
        at = f" at {size:,}" if len(condition.sizes) != 1 and size else ""
        met.append(condition.meets(ratio))
        figures = f"{number(ratio.median)} {condition.words} ({number(ratio.low)} to {number(ratio.high)}){at}"
        measured.append(figures if met[-1] else f"**{figures}**")
    if target.fact:
        fact = _fact(target.fact, speed, validity)
        measured.append(fact.measured)
        met.append(fact.met)
    return Reached("; ".join(measured), None if None in met else all(met))


def _fact(name: str, speed: Speed, validity: dict[str, Any]) -> Reached:
    if name == "same bytes":
        runs = validity["contenders"][OURS]["runs"]
        changed = runs["rewritten_json"]
        return Reached(f"{changed} of {runs['sends']:,} sends changed bytes that were sent", changed == 0)
    others = speed.rounds((OURS, "optional packages imported"), 0)
    return Reached(f"{others[0]:.0f} optional packages imported", others == [0])


def number(value: float) -> str:
    """Write a figure with three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"
