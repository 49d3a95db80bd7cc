"""The pages: docs/performance*.md, their charts and the README's table, written from the results alone."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks.carried import table as carried_table
from benchmarks.charts import THEMES, Line, chart
from benchmarks.contenders import CONTENDERS
from benchmarks.operations import BLOCKS, BYTES, COPY, JSON, LISTS, OPERATIONS, OURS
from benchmarks.results import FOLDER
from benchmarks.targets import TARGETS, number, reached
from benchmarks.threads import ONE, TWO, WORK
from benchmarks.validity_tables import validity_tables

if TYPE_CHECKING:
    from benchmarks.operations import Operation
    from benchmarks.results import Ratio, Speed

__all__ = ["pages", "printed"]

ROOT: Final = Path(__file__).parents[1]
LIMITS: Final = Path(__file__).with_name("limits.md")
BEGIN, END = "<!-- performance: written by python -m benchmarks -->\n", "<!-- performance: end -->\n"
CHARTS: Final = {
    "append": "Appending one more message",
    "ingest_dicts": "Reading a clean list of dicts",
    "repair": "Reading or repairing a damaged list",
    "export": "Writing all messages for the provider",
    "export_json_again": "One more turn, and writing all as JSON",
}
UNITS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def pages(speed: Speed, validity: dict[str, Any]) -> dict[Path, str]:
    """Write all that is generated.

    Args:
        speed: what was measured.
        validity: what the judge found.

    Returns:
        The texts by their files.
    """
    written = {ROOT / "docs" / "performance.md": decided_by(speed, validity, field_table())}
    written[ROOT / "docs" / "performance-figures.md"] = page(speed, validity)
    for operation, title in CHARTS.items():
        lines = _lines(speed, operation)
        for theme, colours in THEMES.items():
            written[ROOT / "docs" / "charts" / f"{operation}-{theme}.svg"] = chart(title, lines, colours)
    readme = ROOT / "README.md"
    before, begin, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme} has no place for the table: {BEGIN.strip()} ... {END.strip()}")
    written[readme] = f"{before}{BEGIN}\n{summary(speed, validity)}\n{END}{after}"
    return written


def decided_by(speed: Speed, validity: dict[str, Any], field: str = "") -> str:
    """Write docs/performance.md: what somebody decides by who asks whether this library is fast enough."""
    parts = [
        "# Performance",
        "<!-- Made by python -m benchmarks from what it measured; do not edit by hand. -->",
        "A history costs the message that is added, never the messages that are there.",
        _summary(speed, validity),
        *(["## Sessions in the shapes of the field", field] if field else []),
        "## Where others are better",
        _better(speed),
        f"Measured on {speed.made['date']} by `{speed.made['command']}` on {speed.made['machine']}, with "
        f"{speed.made['python']}. All figures, how they are measured and what was not reached: "
        "[all figures](performance-figures.md).",
    ]
    return "\n\n".join(parts) + "\n"


def field_table(path: Path = FOLDER / "field.json") -> str:
    """Write what somebody decides by of what `python -m benchmarks.field` kept; nothing where it has not run."""
    if not path.exists():
        return ""
    made, cells = json.loads(path.read_text(encoding="utf-8")).values()
    rows = ["| " + " | ".join(["1,000 messages", *FIELD]) + " |", "|---" * (1 + len(FIELD)) + "|"]
    for name, found in cells.items():
        session, _, size = name.rpartition(", ")
        if size == "1,000":
            rows.append("| " + " | ".join([session, *(_field_cell(found, kind) for kind in FIELD.values())]) + " |")
    what = (
        f"Medians of seven rounds in one process, measured on {made['date']} on {made['machine']}, with "
        f"{made['python']} (a load of {made['load']}). "
        "Reading is in times of `json.loads` of the text, sending of `copy.deepcopy`, pickling of a list's, memory of "
        "the dicts'. In brackets is the best of langchain-core, litellm, pydantic-ai and tool-call-repair that does "
        "something like it: langchain-core and litellm do not make a list valid, pydantic-ai reads JSON that it wrote, "
        "and of what the two unpickle no value is looked at, where those of a history go through the laws. The sessions"
        " are generated, in the shapes that agents record; "
        "`python -m benchmarks.field --data FOLDER` measures your own."
    )
    return "\n".join([*rows, "", what])


FIELD: Final = {
    "read": "read",
    "read, 1 % damaged": "1 % damaged",
    "send": "send",
    "pickle": "pickle",
    "memory": "memory",
}
"""The columns, and how the operations end that belong to them."""


def _field_cell(found: dict[str, list[float]], kind: str) -> str:
    """Write our figure, and that of the fastest peer."""
    ours = found.get(kind) or found.get(f"read, {kind}")
    if ours is None:
        return ""
    peers = [
        (median(ratios), name.partition(":")[0])
        for name, ratios in found.items()
        if name.partition(": ")[2].startswith(kind)
    ]
    ratio, peer = min(peers, default=(0.0, ""))
    return number(median(ours)) + (f" ({peer} {number(ratio)})" if peer else "")


def field_figures(path: Path = FOLDER / "field.json") -> str:
    """Write all that `python -m benchmarks.field` kept, with the lowest and the highest of the rounds."""
    rows = ["| session, messages | operation | median | lowest to highest |", "|---|---|---:|---|"]
    for session, found in json.loads(path.read_text(encoding="utf-8"))["cells"].items():
        rows += [
            f"| {session} | {name} | {number(median(each))} | {number(min(each))} to {number(max(each))} |"
            for name, each in found.items()
        ]
    return "\n".join(rows)


def page(speed: Speed, validity: dict[str, Any]) -> str:
    """Write docs/performance-figures.md."""
    made = speed.made
    head = [
        "# All figures",
        "<!-- Made by python -m benchmarks from what it measured; do not edit by hand. -->",
        f"Measured on {made['date']} with `{made['command']}`, after `pip install -e '.[dev]' --group "
        f"benchmarks`. The machine: {made['machine']}, {made['python']}.",
        "The figures of other machines differ; the ratios hardly do. A history costs the message that is added, never "
        "the messages that are there.",
    ]
    parts = [
        *head,
        "## What is to be reached",
        "The worst figure over all sizes of n, with the lowest and the highest of the rounds.",
        _targets(speed, validity),
        *([LIMITS.read_text(encoding="utf-8").strip()] if LIMITS.read_text(encoding="utf-8").strip() else []),
        *(["## With other versions of Python", _beside(speed)] if speed.beside else []),
        *(["## With two threads", _threads(speed)] if speed.threads else []),
        *(["## With metadata and with decisions", carried_table()] if carried_table() else []),
        "## How it grows",
        *(_picture(operation, title) for operation, title in CHARTS.items()),
        "## Where others are better",
        _better(speed),
        *(["## Sessions in the shapes of the field", field_figures()] if (FOLDER / "field.json").exists() else []),
        "## All figures",
        "Seconds or bytes, and how many times the reference of the same round that is: the median of the ratios, with "
        "the lowest and the highest.",
        *(
            _table(speed, operation)
            for block in BLOCKS.values()
            for operation in block
            if operation.name != "append_small"
        ),
        "### The command",
        _commands(speed),
        "## Valid, whole and stable",
        validity_tables(validity),
        "## How it is measured",
        _method(speed),
        _contenders(made),
    ]
    return "\n\n".join(parts) + "\n"


def printed(speed: Speed, validity: dict[str, Any]) -> str:
    """Write what a quick run prints."""
    tables = [*(_table(speed, operation) for operation in OPERATIONS.values()), _commands(speed)]
    return "\n\n".join([_targets(speed, validity), *tables, _better(speed), validity_tables(validity)])


def _summary(speed: Speed, validity: dict[str, Any], folder: str = "") -> str:
    """Write the table of an agent with 10,000 messages."""
    rows = [
        (
            "append a message",
            (OURS, "append"),
            ((LISTS, "append", "`list.append`"), ("langgraph", "append", "LangGraph")),
        ),
        (
            "read dicts, 1 % damaged, and repair them",
            (OURS, "repair"),
            ((JSON, "repair", "`json.loads`"), ("turnsafe", "repair", "turnsafe")),
        ),
        (
            "write fresh dicts for the provider",
            (OURS, "export"),
            ((COPY, "export", "`copy.deepcopy`"), ("pydantic-ai", "export", "pydantic-ai")),
        ),
        (
            "write JSON again after one more turn",
            (OURS, "export_json_again"),
            ((JSON, "export_json_again", "`json.dumps`"),),
        ),
        (
            "hold one of them in memory",
            (OURS, "memory"),
            ((LISTS, "memory", "the dicts"), ("pydantic-ai", "memory", "pydantic-ai")),
        ),
        (
            "the same, with 100 versions that have one message more",
            (OURS, "fork_memory"),
            ((LISTS, "fork_memory", "copied lists"), ("langgraph", "fork_memory", "LangGraph")),
        ),
    ]
    table = ["| with 10,000 messages | here | others |", "|---|---:|---|"]
    for words, subject, others in rows:
        mine = speed.value(subject, 10_000)
        beside = [
            f"{name} {_amount(value, operation)}"
            for contender, operation, name in others
            if (value := speed.value((contender, operation), 10_000)) is not None
        ]
        if mine is not None:
            table.append(f"| {words} | {_amount(mine, subject[1])} | {', '.join(beside)} |")
    found = {name: judged for name, judged in validity["contenders"].items() if judged}
    ours = found[OURS]
    peers = [(judged["broken"]["whole"], name) for name, judged in found.items() if name != OURS]
    best, name = max(peers)
    table.append(
        f"| broken histories of the field that become valid and lose nothing | {ours['broken']['whole']} of "
        f"{ours['broken']['lists']} | the best other, {name}: {best} |"
    )
    return "\n".join([*table, "", _picture("append", CHARTS["append"], folder)])


def summary(speed: Speed, validity: dict[str, Any]) -> str:
    """Write the README's table, with where it comes from."""
    return (
        "\n".join(
            [
                _summary(speed, validity, "docs/"),
                "",
                f"Measured by `{speed.made['command']}` on {speed.made['machine']}, with {speed.made['python']}; all "
                "of it, "
                "and where others are better, is in [performance](docs/performance.md).",
            ]
        )
        + "\n"
    )


def _targets(speed: Speed, validity: dict[str, Any]) -> str:
    rows = ["| operation | target | stretch | measured | met |", "|---|---|---|---|---|"]
    for target in TARGETS:
        found = reached(target, speed, validity)
        met = {True: "yes", False: "**no**", None: "not measured"}[found.met]
        rows.append(f"| {target.operation} | {target.target} | {target.stretch} | {found.measured} | {met} |")
    return "\n".join(rows)


def _beside(speed: Speed) -> str:
    """Write the worst figures of the targets, for each version of Python that was measured."""
    runs = (speed, *speed.beside)
    rows = [f"| | target | {' | '.join(run.made['python'] for run in runs)} |", f"|---|---:|{'---:|' * len(runs)}"]
    for target in TARGETS:
        for condition in target.conditions:
            worst = [condition.worst(run) for run in runs]
            if any(worst[1:]):
                figures = [number(found[1].median) if found is not None else "" for found in worst]
                limit = f"{'≥' if condition.at_least else '≤'} {condition.limit:,}"
                rows.append(f"| {target.operation}: {condition.words} | {limit} | {' | '.join(figures)} |")
    dates = ", ".join(f"{run.made['python']} on {run.made['date']}" for run in speed.beside)
    return "\n".join(
        [
            *rows,
            "",
            f"Measured with `python -m benchmarks --beside`: {dates}. A column of another day is of that day's code.",
        ]
    )


def _threads(speed: Speed) -> str:
    """Write what two threads take beside one, for each Python."""
    rows = [
        f"| | {' | '.join(run.made['python'] for run in speed.threads)} |",
        f"|---|{'---:|' * len(speed.threads)}",
    ]
    for name, words in WORK.items():
        cells = []
        for run in speed.threads:
            (size,) = run.sizes((TWO, name))
            alone, ratio = run.value((ONE, name), size), run.ratio((TWO, name), (ONE, name), size)
            if alone is None or ratio is None:
                cells.append("")
                continue
            spread = f"{number(ratio.low)} to {number(ratio.high)}"
            cells.append(f"{_amount(alone, name)}, {number(ratio.median)} x ({spread})")
        rows.append(f"| `{name}`, {words} | {' | '.join(cells)} |")
    dates = ", ".join(f"{run.made['python']} on {run.made['date']}" for run in speed.threads)
    what = (
        "What one thread takes for a call, and how many times that two threads take for each of theirs that share a "
        "history of 1,000 messages: 0.5 is twice as much work in the same time, 1 the same, by a clock. A `t` is a "
        f"Python without the global lock. Measured with `python -m benchmarks --threads`: {dates}."
    )
    return "\n".join([*rows, "", what])


def _lines(speed: Speed, operation: str) -> list[Line]:
    lines = []
    for name in CONTENDERS:
        if " to " in name:
            continue
        points = [
            (size, value.median)
            for size in speed.sizes((name, operation))
            if (value := speed.value((name, operation), size)) is not None
        ]
        if points:
            lines.append(Line(name, points))
    return lines


def _picture(operation: str, title: str, folder: str = "") -> str:
    place = f"{folder}charts/{operation}"
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{place}-dark.svg">'
        f'<img src="{place}-light.svg" alt="{title}: seconds over messages"></picture>'
    )


def _better(speed: Speed) -> str:
    """Say which peers are faster or smaller, from the figures."""
    rows = []
    for operation in OPERATIONS.values():
        peers = [name for name in CONTENDERS if not name.startswith(OURS) and name not in (LISTS, COPY, JSON)]
        better = [words for name in peers if (words := _better_at(speed, operation, name))]
        if better:
            rows.append(f"- `{operation.name}`, {operation.means}: {'; '.join(better)}.")
    checks = (
        "A plain list, `copy.deepcopy` and `json` check nothing, and are left out here. What a peer does in an "
        "operation is in the last table, and what becomes of a broken list in the tables before it: langchain-core, "
        "LangGraph and openai-agents do not make a list valid, and mistral-common only refuses it."
    )
    return "\n".join([*(rows or ["No peer is faster or smaller in this run."]), "", checks])


def _better_at(speed: Speed, operation: Operation, name: str) -> str:
    ratios = [
        (size, ratio.median)
        for size in speed.sizes((name, operation.name))
        if (ratio := speed.ratio((OURS, operation.name), (name, operation.name), size)) is not None
    ]
    better = [(size, ratio) for size, ratio in ratios if ratio > 1]
    if not better:
        return ""
    size, most = max(better, key=lambda each: each[1])
    at = "at all sizes" if len(better) == len(ratios) else f"at {' and '.join(f'{n:,}' for n, _ in better)}"
    what = "smaller" if operation.name in BYTES else "faster"
    return f"**{name}** is {what} {at}, {number(most)} times at {size:,}"


def _table(speed: Speed, operation: Operation) -> str:
    names = [name for name in CONTENDERS if any(cell for cell in speed.sizes((name, operation.name)))]
    sizes = sorted({size for name in names for size in speed.sizes((name, operation.name))})
    contender, other = operation.reference
    reference = f"{contender}, `{other}`" if other != operation.name else contender
    rows = [f"### `{operation.name}`: {operation.means}", "", f"Reference: {reference}.", ""]
    rows += [f"| | {' | '.join(f'{size:,}' for size in sizes)} |", f"|---|{'---:|' * len(sizes)}"]
    for name in names:
        cells = []
        for size in sizes:
            value = speed.value((name, operation.name), size)
            ratio = speed.ratio((name, operation.name), operation.reference, size)
            if value is None:
                cells.append("too slow" if size in speed.sizes((name, operation.name)) else "")
            elif ratio is None or (name, operation.name) == operation.reference:
                cells.append(_amount(value, operation.name))
            else:
                spread = f"{number(ratio.low)} to {number(ratio.high)}"
                cells.append(f"{_amount(value, operation.name)}, {number(ratio.median)} x ({spread})")
        rows.append(f"| {f'**{name}**' if name == OURS else name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _commands(speed: Speed) -> str:
    """Tell how long the command takes, and how much `doctor` reads in a second."""
    rows = ["| | seconds | files per second | MB per second |", "|---|---:|---:|---:|"]
    names = {"help": "`--help`", "doctor": "`doctor`, one process", "doctor_jobs": "`doctor --jobs 2`"}
    for operation, words in names.items():
        value = speed.value((OURS, operation), 0)
        if value is None:
            rows.append(f"| {words} | not measured | | |")
            continue
        cell = next(cell for cell in speed.cells if cell["operation"] == operation)
        seconds = f"{number(value.median)} ({number(value.low)} to {number(value.high)})"
        read = [number(cell[key] / unit / value.median) for key, unit in (("files", 1), ("bytes", 1e6)) if key in cell]
        rows.append(f"| {words} | {seconds} | {' | '.join(read or ['', ''])} |")
    what = (
        "`doctor` examines a folder of sessions of Claude Code, of 200 messages each and one in ten damaged. Its "
        "seconds are those of a clock, with the start of Python and of its processes; those of `--help` are the "
        "processor's."
    )
    return "\n".join([*rows, "", what])


def _method(speed: Speed) -> str:
    made = speed.made
    return "\n".join(
        [
            "- A transcript repeats ten messages: questions, answers, and three rounds of two parallel calls with "
            "results of about 600 characters. Damaged means one damage in a hundred messages, or in the ten that there "
            "are, of six kinds in turn.",
            "- Each contender has a process of its own and holds the transcript in its own form, made before the "
            "measurement. Its fast path is the one that its documentation names; see the list below.",
            f"- {made['rounds']} rounds; in each, all contenders of a group of "
            "operations are measured in turn. A ratio is that of two figures of one round. Short operations are "
            "repeated until a try takes 5 ms, and the least of three tries is the figure; from 50 ms on, one try is. "
            "The first call, which may import what others find, is in no figure. "
            "What would take more than 1.5 s for one call is too slow here.",
            "- Seconds are those of the processor in the contender's process, so that other programs do not count.",
            f"- The garbage collector is {made['collector']}. What allocates much pays for it, as in an agent.",
            "- An append is measured on conversations of n messages that grow by at most a tenth, or by ten messages.",
            "- Memory is what `tracemalloc` counts while the value is held and its source is gone.",
            "- The repairs of this library are logged to a handler that drops them.",
        ]
    )


def _contenders(made: dict[str, Any]) -> str:
    rows = ["| contender | version | fast path |", "|---|---|---|"]
    for name, entry in CONTENDERS.items():
        if " to " in name:
            continue
        version = made["versions"].get(name, "")
        state = f"skipped: {made['skipped'][name]}" if name in made["skipped"] else version
        rows.append(f"| {name} | {state} | {entry.note} |")
    return "\n".join(rows)


def _amount(value: Ratio, operation: str) -> str:
    if operation in BYTES:
        return f"{value.median:,.0f} B"
    unit, name = next((unit for unit in UNITS if value.median >= unit[0]), UNITS[-1])
    return f"{number(value.median / unit)} {name}"
