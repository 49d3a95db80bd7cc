"""Write dialects.md and a page for each dialect in dialects/, from the rules and the tables of models.

python docs/list_dialects.py [FOLDER]   writes the pages, into docs or another folder, and their places elsewhere
python docs/list_dialects.py --check    only checks whether they are current: exit code 1 if not
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from attrs import fields

ROOT: Final = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from dialect_topics import OTHER, TOPICS, topic_of, topics_of  # noqa: E402 - in the folder of this script
from generated import write_or_check_all  # noqa: E402 - in the folder of this script
from tests.oracles.covered import COVERED, ORACLES  # noqa: E402 - in the repository

import message_history.dialects  # noqa: E402
from message_history.dialects import dialect_class, folders  # noqa: E402
from message_history.dialects.registry import DIALECTS  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.dialects import Dialect
    from message_history.dialects._shared.rules import Rule

NAMES: Final = tuple(name for name in DIALECTS if name != "native" and name in folders())
"""`native` is our own form, and has no provider; those of other distributions have their own pages."""
FACE: Final = Path(message_history.dialects.__file__)
MODELS: Final = {
    "anthropic": ("anthropic.schema.model_rows",),
    "openai_chat": ("openai_chat.providers.HOSTS", "openai_chat.providers.TEMPLATES", "openai_chat.providers.MODELS"),
    "gemini": ("gemini.schema.MODELS", "gemini.schema.DEVELOPER_MODELS"),
}
"""Where the tables of models are, where they are not the `MODELS` of a dialect's `schema.py`."""
MADE_BY: Final = "<!-- Made by docs/list_dialects.py from the rules; do not edit by hand. -->"
LOOPS: Final = Path(__file__).with_name("loops")


class Row(NamedTuple):
    """What holds for some models.

    Args:
        models: which, as a pattern or in words.
        fields: the fields and their values.
        source: where that was seen.
        date: when.
    """

    models: str
    fields: dict[str, Any]
    source: str
    date: str


def model_rows(name: str) -> Iterator[Row]:
    """Give the table of models of a dialect; later rows override earlier ones."""
    for place in MODELS.get(name, (f"{name}.schema.MODELS",)):
        module, _, table = place.rpartition(".")
        rows = getattr(import_module(f"message_history.dialects.{module}"), table, ())
        for row in rows() if callable(rows) else rows:
            if name == "anthropic":
                rule = next(rule for rule in DIALECTS[name].rules if rule.id == row.rule)
                yield Row(_versions(row), {row.field: row.value}, rule.source, rule.date)
            else:
                yield Row(code(row.models.pattern), dict(row.fields), row.source, row.date)


def _versions(row: Any) -> str:
    """Say in words which versions of Claude a row is for."""
    families = ", ".join(sorted(family.capitalize() for family in row.families)) or "all"
    since = "" if row.since == (0, 0) else f" from {'.'.join(map(str, row.since))}"
    until = "" if row.until[0] > 90 else f" to {'.'.join(map(str, row.until))}"
    return f"{families}{since}{until}"


def code(text: str, *, in_table: bool = False) -> str:
    """Write a text as code; it may hold backticks, and bars that would part the cells of a table."""
    text = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
    text = text.replace("|", "\\|") if in_table else text
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def value_text(value: object, *, in_table: bool = False) -> str:
    """Write the value of a field; nothing for what takes more than a line to say."""
    if isinstance(value, re.Pattern):
        return code(value.pattern, in_table=in_table)
    if isinstance(value, frozenset):
        return code(", ".join(sorted(map(str, value))), in_table=in_table) if value else "none"
    if value is None or isinstance(value, str | int | bool):
        return code(repr(value), in_table=in_table)
    return ""


def source_text(source: str, date: str) -> str:
    """Write where something was seen, and when."""
    place = f"[{source.removeprefix('https://')}]({source})" if re.fullmatch(r"https://\S+", source) else source
    return f"{place}, {date}"


def anchor(rule: str) -> str:
    """Give the anchor that a heading gets."""
    return re.sub(r"[^a-z0-9_ -]", "", rule.lower()).replace(" ", "-")


def judged_by(name: str, rule: str) -> list[str]:
    """Name the oracles that judge a rule."""
    return [oracle for oracle, ids in COVERED.get(name, {}).items() if rule in ids]


def unjudged(dialect: Dialect[Any]) -> list[Rule]:
    """Give the rules that no oracle judges."""
    return [rule for rule in dialect.rules if not judged_by(dialect.name, rule.id)]


def by_any_topic(dialect: Dialect[Any], topic: str) -> list[Rule]:
    """Give a dialect's rules that are about a topic, even if another topic is their first."""
    return [rule for rule in dialect.rules if topic in topics_of(dialect.name, rule.id)]


def by_topic(dialect: Dialect[Any]) -> dict[str, list[Rule]]:
    """Sort a dialect's rules by their first topic."""
    found: dict[str, list[Rule]] = {topic: [] for topic in (*TOPICS, OTHER)}
    for rule in dialect.rules:
        found[topic_of(dialect.name, rule.id)].append(rule)
    return {topic: rules for topic, rules in found.items() if rules}


def links(name: str, rules: Iterable[Rule], folder: str = "") -> str:
    """Link rules to their places in the dialect's page."""
    page = f"{folder}{name}.md" if folder else ""
    return " ".join(f"[{rule.id}]({page}#{anchor(rule.id)})" for rule in rules)


def overview() -> str:
    """Write dialects.md."""
    parts = [f"# Dialects\n\n{MADE_BY}\n\n{INTRODUCTION}\n\n"]
    parts.append("| dialect | for | rules | texts | judged by an oracle | rows by model |\n|---|---|---|---|---|---|\n")
    for name in NAMES:
        dialect = DIALECTS[name]
        texts = sum(len(rule.errors) for rule in dialect.rules)
        judged = len(dialect.rules) - len(unjudged(dialect))
        rows = len(list(model_rows(name)))
        about = first_sentence(dialect)
        kind = f"[`{type(dialect).__name__}`](dialects/{name}.md)"
        parts.append(f"| {kind} | {about} | {len(dialect.rules)} | {texts} | {judged} | {rows or ''} |\n")
    parts.append(f"\n## Rules by topic\n\n{TOPICS_PROSE}\n\n")
    parts.append(f"| | {' | '.join(type(DIALECTS[name]).__name__ for name in NAMES)} |\n|---{'|---' * len(NAMES)}|\n")
    for topic in (*TOPICS, OTHER):
        cells = [links(name, by_any_topic(DIALECTS[name], topic), "dialects/") for name in NAMES]
        if any(cells):
            parts.append(f"| **{topic}** | {' | '.join(cells)} |\n")
    parts.append(f"\n## What others judge\n\n{ORACLE_PROSE}\n\n| oracle | dialect | rules |\n|---|---|---|\n")
    for name in NAMES:
        for oracle, ids in COVERED.get(name, {}).items():
            rules = [rule for rule in DIALECTS[name].rules if rule.id in ids]
            parts.append(f"| {ORACLES[oracle]} | `{name}` | {links(name, rules, 'dialects/')} |\n")
    parts.append("\nNo oracle judges these:\n\n| dialect | rules |\n|---|---|\n")
    parts += [f"| `{name}` | {links(name, unjudged(DIALECTS[name]), 'dialects/')} |\n" for name in NAMES]
    return "".join(parts)


INTRODUCTION: Final = """\
A dialect is one provider API's wire format and rules. `render` keeps the rules, `check` finds what breaks them, and
the two share no code. `message-history explain "ERROR TEXT"` finds the rule that a provider's error is about.

The texts are the providers' own, as they were reported or recorded; `{...}` stands for what differs. A rule without a
text is documented, but nobody has published what the API answers. `for_model` chooses the fields for a model; a model
that no row matches gets the defaults: see decision record 5."""

TOPICS_PROSE: Final = """\
A rule's name links to its sentence, the provider's text and the source. A rule between two topics is in both rows,
and on its page under the first."""

ORACLE_PROSE: Final = """\
The tests in `tests/oracles` let things that we did not write judge every export: a rule is judged when one of them
refuses a list that breaks this rule and no other. `tests/oracles/test_covered.py` holds this table to what they say.
The other rules rest on our own two readers, and on recorded requests and reported errors."""


def first_sentence(dialect: Dialect[Any]) -> str:
    """Give what a dialect's class says of itself, without its defaults."""
    text = inspect.cleandoc(type(dialect).__doc__ or "").partition("\n\n")[0]
    return " ".join(text.partition(";")[0].partition(":")[0].split()).rstrip(".")


def page(dialect: Dialect[Any]) -> str:
    """Write the page of a dialect."""
    kind = type(dialect).__name__
    parts = [f"# {kind}\n\n{MADE_BY}\n\n{first_sentence(dialect)}. "]
    parts.append("All providers: [dialects](../dialects.md).\n")
    parts.append(f"\n## A loop\n\n{loop(dialect.name)}\n")
    for topic, rules in by_topic(dialect).items():
        parts.append(f"\n## {topic[0].upper()}{topic[1:]}\n")
        parts += [rule_text(dialect.name, rule) for rule in rules]
    rows = list(model_rows(dialect.name))
    if rows:
        parts.append(
            "\n## Models\n\nThe later rows override the earlier ones. Patterns are searched for in the model's "
        )
        parts.append("name, in lower case.\n\n")
        for row in rows:
            set_to = ", ".join(f"`{field}`: {value_text(value)}" for field, value in row.fields.items())
            parts.append(f"- {row.models}: {set_to} ({source_text(row.source, row.date)})\n")
    meanings = field_meanings(type(dialect))
    if meanings:
        parts.append("\n## Fields\n\nThe defaults are for no model.\n\n| field | default | meaning |\n|---|---|---|\n")
        for field, meaning in meanings.items():
            parts.append(f"| `{field}` | {value_text(getattr(dialect, field), in_table=True)} | {meaning} |\n")
    return "".join((*parts, limits_text(dialect)))


LOOP_PROSE: Final = """\
[System prompt](../how-to/system-prompt.md), [failed tools](../how-to/tool-results.md) and
[streams](../how-to/streaming.md) have pages of their own. What this provider refuses, and what becomes of it here:"""


def loop(name: str) -> str:
    """Write how a dialect is used: the program in `loops`, and what it prints."""
    code = (LOOPS / f"{name}_loop.py").read_text(encoding="utf-8")
    printed = PRINTED.get(name, "It is sunny in Paris and in Rome.")
    return f"```python\n{code}```\n\n```text\n{printed}\n```\n\n{LOOP_PROSE}"


PRINTED: Final = {"gemini_interactions": "Sunny.", "pydantic_ai": "It is sunny."}
"""What a loop prints that no script of the strict server answers."""


def limits_text(dialect: Dialect[Any]) -> str:
    """Write what is taken of images and documents, where something is known of that."""
    limits = getattr(dialect, "limits", None)
    if limits is None or not limits.source:
        return ""
    parts = [
        f"\n## Limits of media\n\nFor a model that is not known. Seen: {source_text(limits.source, limits.date)}\n\n"
    ]
    parts.append("| limit | value | meaning |\n|---|---|---|\n")
    for field, meaning in field_meanings(type(limits)).items():
        value = getattr(limits, field)
        if value != getattr(type(limits)(), field) and field not in ("rules", "source", "date"):
            parts.append(f"| `{field}` | {value_text(value, in_table=True)} | {meaning} |\n")
    return "".join(parts)


def rule_text(name: str, rule: Rule) -> str:
    """Write one rule."""
    judges = judged_by(name, rule.id)
    lines = [f"\n### {rule.id}\n\n{rule.rule}\n"]
    lines += [f"- The provider says: {code(error)}" for error in dict.fromkeys(rule.errors)]
    lines.append(f"- Here: {rule.repair}")
    lines.append(f"- Seen: {source_text(rule.source, rule.date)}")
    if judges:
        lines.append(f"- Judged by {', '.join(ORACLES[oracle] for oracle in judges)}")
    return "\n".join(lines) + "\n"


def field_meanings(kind: type[Any]) -> dict[str, str]:
    """Read what the docstring of a class says of its fields."""
    known = {attribute.name for attribute in fields(kind)}
    _, _, arguments = inspect.cleandoc(kind.__doc__ or "").partition("Args:\n")
    found: dict[str, str] = {}
    last = ""
    for line in arguments.splitlines():
        field = re.fullmatch(r"    (\w+): (.*)", line)
        if field is not None and field[1] in known:
            last = field[1]
            found[last] = field[2]
        elif last and line.startswith("        "):
            found[last] += f" {line.strip()}"
    return found


def pages() -> dict[str, str]:
    """Write all pages.

    Returns:
        Markdown by path, below the folder of the docs.
    """
    return {"dialects.md": overview(), **{f"dialects/{name}.md": page(DIALECTS[name]) for name in NAMES}}


def face() -> str:
    """Write the front of the dialects: each class, for type checkers and for `import *`."""
    classes = {folder: dialect_class(folder).__name__ for folder in folders()}
    imports = "".join(
        f"    from message_history.dialects.{at} import {name} as {name}\n" for at, name in classes.items()
    )
    names = "".join(f'    "{name}",\n' for name in sorted(("Dialect", "Export", *classes.values())))
    text = FACE.read_text(encoding="utf-8")
    text = re.sub(r"(?<=\nif TYPE_CHECKING:\n)(    from .*\n)+", lambda _: imports, text)
    return re.sub(r"(?<=\n__all__ = \[\n)(    .*\n)+", lambda _: names, text)


def mentioned(path: Path, block: str, lines: dict[str, str]) -> str:
    """Return a file in which a block of lines has one for each dialect; what is there stays as it is."""
    text = path.read_text(encoding="utf-8")
    missing = "".join(line for named, line in lines.items() if named not in text)
    return re.sub(block, lambda found: found[0] + missing, text, count=1)


def mentions() -> dict[Path, str]:
    """Write where the dialects are named: for type checkers, in the navigation, and in the reference."""
    nav, reference = ROOT / "zensical.toml", ROOT / "docs" / "reference" / "dialects.md"
    kinds = {folder: dialect_class(folder).__name__ for folder in folders()}
    pages = {f'"dialects/{at}.md"': f'    {{ "{kinds[at]}" = "dialects/{at}.md" }},\n' for at in NAMES}
    places = [f"::: message_history.dialects.{at}.{kind}\n" for at, kind in kinds.items()]
    return {
        FACE: face(),
        nav: mentioned(nav, r'(    \{ ".+" = "dialects/\w+\.md" \},\n)+', pages),
        reference: mentioned(
            reference, r"(\n::: message_history\.dialects\.\w+\.\w+\n)+", {place: f"\n{place}" for place in places}
        ),
    }


def main(arguments: list[str]) -> int:
    """Write, or check.

    Args:
        arguments: `--check`, and the folder if it is another than docs.

    Returns:
        The exit code.
    """
    paths = [Path(argument) for argument in arguments if argument != "--check"]
    folder = paths[0] if paths else Path(__file__).parent
    found = {**mentions(), **{folder / path: fresh for path, fresh in pages().items()}}
    return write_or_check_all(found, "list_dialects.py", check="--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
