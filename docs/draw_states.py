"""Draw the tables of `core/turns/rules.py` into design.md and approvals.md.

python docs/draw_states.py           writes the drawing between its marks
python docs/draw_states.py --check   only checks whether they are current: exit code 1 if not
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from message_history.core.turns.rules import (
    MOVES,
    NAMES,
    RESULTS,
    TABLE,
    Action,
    AnswerStatus,
    Arrival,
    CallState,
    Comparison,
    State,
)

if TYPE_CHECKING:
    from collections.abc import Callable

DESIGN = Path(__file__).with_name("design.md")
APPROVALS = Path(__file__).with_name("approvals.md")


def states() -> str:
    """Draw `TABLE`.

    Returns:
        A Mermaid state diagram and the table itself, as Markdown.
    """
    edges: dict[tuple[State, State], list[str]] = {}
    for (state, arrival), (action, nexts) in TABLE.items():
        for next_state in nexts:
            if action is not Action.DROP:
                edges.setdefault((state, next_state), []).append(arrival.value)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {State.EMPTY.name}"]
    lines += [f"    {here.name} --> {there.name} : {', '.join(names)}" for (here, there), names in edges.items()]
    lines += ["```", "", f"| state | {' | '.join(arrival.value for arrival in Arrival)} |"]
    lines += [f"|---|{'---|' * len(Arrival)}"]
    lines += [f"| `{state.name}` | {' | '.join(_cell(state, arrival) for arrival in Arrival)} |" for state in State]
    return "\n".join(lines) + "\n"


def _cell(state: State, arrival: Arrival) -> str:
    action, nexts = TABLE[state, arrival]
    return f"{action.value} → {' or '.join(f'`{next_state.name}`' for next_state in nexts)}"


def names() -> str:
    """Draw `NAMES`.

    Returns:
        The table, as Markdown.
    """
    return (
        "\n".join(["| what is given | what it finds |", "|---|---|", *(f"| {n} | {f} |" for n, f in NAMES.items())])
        + "\n"
    )


def results() -> str:
    """Draw `RESULTS`.

    Returns:
        The table, as Markdown.
    """
    lines = [
        f"| the call | {' | '.join(f'the result is: {each.value}' for each in Comparison)} |",
        f"|---|{'---|' * len(Comparison)}",
    ]
    lines += [
        f"| {status.value} | {' | '.join(RESULTS[status, each].value for each in Comparison)} |"
        for status in AnswerStatus
    ]
    return "\n".join(lines) + "\n"


def moves() -> str:
    """Draw `MOVES`.

    Returns:
        A Mermaid state diagram, and the states with what each says, as Markdown.
    """
    source = inspect.getsource(CallState)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {CallState.PROPOSED.name}"]
    lines += [f"    {state.name} --> {following.name}" for state, allowed in MOVES.items() for following in allowed]
    lines += ["```", "", "| state | says |", "|---|---|"]
    for state in CallState:
        says = source.split(f'{state.name} = "{state.value}"', 1)[1].split('"""')[1]
        lines.append(f"| `{state.name}` | {says} |")
    return "\n".join(lines) + "\n"


DRAWINGS = {DESIGN.name: {"states": states, "names": names, "results": results}, APPROVALS.name: {"moves": moves}}


def drawn_into(text: str, drawings: dict[str, Callable[[], str]]) -> str:
    """Put the drawings between their marks.

    Args:
        text: the page.
        drawings: by the names in their marks.

    Returns:
        The page with fresh drawings.

    Raises:
        ValueError: when the page lacks the marks of one.
    """
    for name, drawing in drawings.items():
        first, last = f"<!-- {name}: drawn by docs/draw_states.py -->\n", f"<!-- {name}: end -->\n"
        before, begin, rest = text.partition(first)
        _, end, after = rest.partition(last)
        if not begin or not end:
            raise ValueError(f"no place for the drawing: {first.strip()} ... {last.strip()}")
        text = f"{before}{first}\n{drawing()}\n{last}{after}"
    return text


def main(arguments: list[str]) -> int:
    """Draw, or check.

    Args:
        arguments: `--check`, and the page if it is another than design.md.

    Returns:
        The exit code.
    """
    paths = [Path(argument) for argument in arguments if argument != "--check"]
    stale = False
    for page in paths or [DESIGN, APPROVALS]:
        text = page.read_text(encoding="utf-8")
        fresh = drawn_into(text, DRAWINGS.get(page.name, DRAWINGS[DESIGN.name]))
        if fresh == text:
            continue
        if "--check" in arguments:
            print(f"{page}: the drawings are STALE; run: python docs/draw_states.py")
            stale = True
        else:
            page.write_text(fresh, encoding="utf-8")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
