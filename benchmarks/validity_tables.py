"""What the judge found, as Markdown."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.broken_histories import CASES
from benchmarks.operations import OURS

__all__ = ["validity_tables"]

FORMS: Final = {"messages": "Messages API", "chat": "Chat Completions", "items": "Responses"}


def validity_tables(validity: dict[str, Any]) -> str:
    """Write what each contender sends for broken histories.

    Args:
        validity: what the judge found.

    Returns:
        Markdown.
    """
    found = {name: judged for name, judged in validity["contenders"].items() if judged}
    ours = found[OURS]
    lists, short, runs = ours["broken"]["lists"], ours["short"]["lists"], ours["runs"]
    parts = [
        f"Each contender is given the {lists} broken histories of the field, {short:,} short histories (every history "
        f"of up to four messages over ten kinds), and {runs['runs']:,} simulated agent runs, in which the user steers "
        "while tools run and some results come late or never. `benchmarks/judge.py` judges what it sends; it uses "
        "nothing of this library. *Valid* is what the API takes today, and *everywhere* what older models and other "
        "hosts of the same API take too. *Whole* is valid, with every text of the user and every result of a known "
        "call in it. Each list is judged by the rules of the API that it is for; those of the Messages API are the "
        "hardest.",
        _of_lists(found, "broken", f"the {lists} broken histories"),
        _of_cases(found),
        _of_lists(found, "short", f"the {short:,} short histories"),
        "In the agent runs, *rewritten* are the requests that do not begin with the request before: prompt caches miss "
        "then, and thinking that is bound to what was before it is refused. *Lost* is what the last request lacks.",
        _of_runs(found),
    ]
    refused = [
        f"{name} only validates: it refuses {judged['broken']['refused']} of the {lists}, and sends nothing then."
        for name, judged in found.items()
        if judged["broken"]["refused"]
    ]
    return "\n\n".join([*parts, *refused])


def _of_lists(found: dict[str, Any], kind: str, title: str) -> str:
    rows = [
        f"| {title} | judged as | whole | valid | everywhere | lost results | lost texts |",
        f"|---|---|{'---:|' * 5}",
    ]
    for name, judged in found.items():
        cells = [judged[kind][key] for key in ("whole", "valid", "strict", "lost_results", "lost_texts")]
        rows.append(_row(name, [FORMS[judged["form"]], *(f"{cell:,}" for cell in cells)]))
    return "\n".join(rows)


def _of_cases(found: dict[str, Any]) -> str:
    rows = [_row("whole", list(found)), f"|---|{':---:|' * len(found)}"]
    failed = [judged["broken"]["failed"] for judged in found.values()]
    rows += [_row(case.name, ["" if case.name in names else "yes" for names in failed]) for case in CASES]
    return "\n".join(rows)


def _of_runs(found: dict[str, Any]) -> str:
    sends = found[OURS]["runs"]["sends"]
    rows = [f"| {sends:,} requests of agents | valid | everywhere | rewritten | lost results | lost texts |"]
    rows.append(f"|---|{'---:|' * 5}")
    for name, judged in found.items():
        runs = judged["runs"]
        rewritten = f"{runs['rewritten']:,} ({runs['rewritten'] / runs['sends']:.1%})"
        cells = [f"{runs[key]:,}" for key in ("valid", "strict", "lost_results", "lost_texts")]
        rows.append(_row(name, [*cells[:2], rewritten, *cells[2:]]))
    return "\n".join(rows)


def _row(name: str, cells: list[str]) -> str:
    return f"| {f'**{name}**' if name == OURS else name} | {' | '.join(cells)} |"
