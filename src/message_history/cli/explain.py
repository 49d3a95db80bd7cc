"""`explain`: which rule a provider's error is about, and where a file breaks it."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, final

import click
from attrs import frozen
from rich.text import Text

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import (
    DIALECT_NAMES,
    STDIN,
    NameOf,
    as_json,
    dialect_named,
    input_format,
    input_model,
    main_of,
    session_or_report,
)
from message_history.cli.printing import counted, one_line, visible
from message_history.cli.report import printer_for
from message_history.dialects.registry import DIALECTS
from message_history.explaining import cause_of, explain, subject_of, where
from message_history.explaining.everyday import is_everyday
from message_history.explaining.known import rule_advice, topics_of
from message_history.explaining.topics import topics
from message_history.files.opening import MAX_BYTES, content
from message_history.files.request_bodies import held_at
from message_history.formats.message_lists import MESSAGE_LISTS
from message_history.violations import check
from message_history.words import instead_of_repair

if TYPE_CHECKING:
    from message_history.cli.printing import Printer
    from message_history.dialects import Dialect
    from message_history.explaining import Explanation
    from message_history.formats.reading import SessionFile

_PERHAPS: Final = 0.5
"""Up to this score, an explanation is one of several that are possible."""
_DOUBT: Final = (
    "not at all: other programs say this too. Paste what is around it, or name whose error it is with `--dialect`"
)
"""What is printed of words that any program may say."""
_OF_MESSAGES: Final = frozenset({"contents", "messages", "parts", "role"})
"""The keys of a list of messages, or of its first message, which the body of an error does not have."""
_END: Final = "how the list ends"
"""The topic of the errors about the last message."""
OTHERS: Final = 4
"""How many more rules are named; a text that fits more of them says too little."""


@click.command("explain")
@click.argument("text", required=False, metavar="TEXT")
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--dialect",
    type=NameOf(DIALECT_NAMES),
    help="Whose error it is; by default what the text says, or the dialect of FILE.",
)
@input_format
@as_json
@input_model
@click.pass_context
def explain_error(
    context: click.Context,
    *,
    text: str | None,
    file: str | None,
    dialect: str | None,
    format_name: str | None,
    as_json: bool,
    model: str | None,
) -> None:
    """Explain a provider's error TEXT: what is demanded, what causes it, what to do, and where FILE breaks it.

    TEXT is the error as an SDK raised it or a log shows it, whole or in part, the name of a file that holds it, or the
    id of a rule; - reads the standard input, and so does a pipe without TEXT. FILE is the list that was sent, or the
    session that it was made of.

    The exit code is 0 when a rule was found, 1 when none was found or a line of FILE was skipped, 2 when FILE cannot be
    read.
    """
    known = dialect_named(dialect, model)
    if text == STDIN == file:
        raise click.UsageError("the standard input is TEXT or FILE, not both")
    if file is not None and text is not None and not _is_there(file) and _is_there(text):
        text, file = file, text
    error = _error_of(text)
    printer = printer_for("explain", as_json=as_json)
    session = session_or_report(file, printer, format_name) if file is not None else None
    if isinstance(session, ExitCode):
        context.exit(printer.finish(session))
    saved = main_of(str(file), session, printer) if session is not None else None
    own = saved.dialect(as_request=True) if saved is not None else None
    found = explain(error, known or own)
    advice = _Advice(file=file, session=session, model=model)
    _report(printer, found, error, advice)
    probed = None if found else _refused_when_probed(model, error)
    if found:
        _print_explanations(printer, found, advice)
    elif probed is not None:
        printer.line(f"the server refused {visible(probed)} with it when it was probed: see {visible(str(model))}")
    else:
        _print_nothing(printer, error)
    if session is not None and saved is not None and own is not None and file is not None:
        sent_as = known if known is not None and known.name == own.name else own
        _print_places(printer, file, session, sent_as, error=error, found=found)
    done = (found or probed) and (saved is None or not saved.skipped)
    context.exit(printer.finish(ExitCode.DONE if done else ExitCode.FOUND))


def _refused_when_probed(model: str | None, error: str) -> str | None:
    """Return what a server refused with these words, if `model` is the file that `probe` wrote of it."""
    if model is None or Path(model).suffix != ".toml" or not error.strip():
        return None
    refused = tomllib.loads(Path(model).read_text(encoding="utf-8")).get("refused", ())
    return next((each["asks"] for each in refused if each["words"] in error or error.strip() in each["words"]), None)


def _is_there(name: str) -> bool:
    """Return whether a text is the name of a file or a folder, or of the standard input; most texts are too long."""
    try:
        return name == STDIN or (name != "" and Path(name).exists())
    except (OSError, ValueError):
        return False


def _error_of(text: str | None) -> str:
    """Return the error that a text is, or that the file or the standard input holds which it names."""
    if text is None and sys.stdin.isatty():
        raise click.UsageError("no error to explain: write it after the command, or pipe it in")
    if text is None or text == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES).decode(errors="replace")
    if not _is_there(text):
        return text
    try:
        error = content(text, MAX_BYTES).decode(errors="replace")
    except OSError as problem:
        raise click.UsageError(f"{visible(text)} cannot be read: {problem.strerror}") from problem
    if _holds_messages(error):
        raise click.UsageError(f"{visible(text)} holds messages and no error: write the error before it")
    return error


def _holds_messages(text: str) -> bool:
    """Return whether the text of a file is JSON of messages rather than the body of an error."""
    if text.lstrip()[:1] not in ("[", "{"):
        return False
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    first = data[0] if isinstance(data, list) and data else data
    return isinstance(first, dict) and "error" not in first and not _OF_MESSAGES.isdisjoint(first)


def _report(printer: Printer, found: list[Explanation], error: str, advice: _Advice) -> None:
    subject = subject_of(error) if not found else None
    printer.add("about", {"name": subject.name, "hint": subject.hint} if subject is not None else None)
    printer.add(
        "explanations",
        [
            {
                "dialect": each.dialect,
                "rule": each.rule.id,
                "score": round(each.score, 2),
                "means": each.rule.rule,
                "causes": cause_of(each) or "",
                "repair": each.rule.repair,
                "advice": "" if instead_of_repair(each.rule.repair) else advice.on(each),
                "error": each.error or "",
                "source": each.rule.source,
                "date": each.rule.date,
            }
            for each in found[: 1 + OTHERS]
        ],
    )


def _print_explanations(printer: Printer, found: list[Explanation], advice: _Advice) -> None:
    """Print the likeliest rule: what is demanded, the cause, what to do; and the others in a line each."""
    first, *others = found
    printer.line(Text.assemble("perhaps " if first.score <= _PERHAPS else "", _name(first), f": {first.rule.rule}"))
    cause = cause_of(first)
    if cause:
        printer.line(Text(f"  what causes the error: {cause}"))
    instead = instead_of_repair(first.rule.repair)
    if instead:
        printer.line(Text(f"  what to do: {instead}"))
    else:
        printer.line(Text(f"  what to do: {advice.on(first)}"))
        printer.line(Text(f"  what a repair does: {first.rule.repair}"))
    if first.score <= _PERHAPS and is_everyday(first.dialect, first.rule.id, first.error):
        printer.line(Text(f"  how sure that is: {_DOUBT}"))
    if first.error:
        printer.line(Text(f"  what the provider says: {one_line(first.error)}", "dim"))
    printer.line(Text(f"  seen: {first.rule.source} ({first.rule.date})", "dim"))
    for other in others[:OTHERS]:
        printer.line(Text.assemble("or ", _name(other), f": {other.rule.rule}"))


@final
@frozen(kw_only=True)
class _Advice:
    """How to have a conversation repaired."""

    file: str | None
    session: SessionFile | None
    model: str | None

    def on(self, one: Explanation) -> str:
        """Say it for one error: on the command line, in a program or for the model; else what helps instead."""
        if one.rule.id in rule_advice():
            return rule_advice()[one.rule.id]
        path = visible(quote(self.file or "FILE"))
        session = self.session
        if session is not None and session.format is not MESSAGE_LISTS and session.refusal is None:
            # Its program reads the file again, and no list.
            in_place = f"`message-history doctor {path} --fix --in-place` to replace it and keep a backup"
            return f"run `message-history repair {path}` to write a repaired one next to it, or {in_place}"
        command = f"message-history repair {path} --to {one.dialect}"
        kind = type(DIALECTS[one.dialect])
        written = f"{kind.__name__}()"
        if hasattr(kind, "for_model"):
            model = self.model or self._model_in(one.dialect) or "MODEL"
            command = f"{command} --model {visible(quote(model))}"
            written = f"{kind.__name__}.for_model({json.dumps(model)})"
        if _is_about_the_end(one):
            # A conversation may end with the assistant; a request may not.
            command = f"{command} --as-request"
        return f"run `{command}`, or send `MessageHistory.from_list(messages).for_send({written})`"

    def _model_in(self, dialect: str) -> str | None:
        """Return the model that a request in the file names, if it is of the API that refused it."""
        if self.session is None or not self.session.conversations:
            return None
        saved = self.session.conversations[0].file
        body = held_at(saved.container, saved.place[:-1])
        model = body.get("model") if isinstance(body, Mapping) and saved.dialect().name == dialect else None
        return model if isinstance(model, str) and model else None


def _is_about_the_end(one: Explanation) -> bool:
    """Return whether an error is about the last message of a list."""
    stands_for = (topic.name for topic in topics() if topic.id == one.rule.id)
    return _END in (*topics_of(one.dialect, one.rule.id)[:1], *stands_for)


def _print_nothing(printer: Printer, error: str) -> None:
    subject = subject_of(error)
    if subject is None:
        hint = "; `message-history check FILE` finds what is wrong in a list without it"
        printer.line(Text.assemble(("no known error is like this text", "bold red"), hint))
    else:
        about = f"not about the form of the messages, but about {subject.name}"
        printer.line(Text.assemble((about, "bold"), f": {subject.hint}"))


def _name(one: Explanation) -> Text:
    return Text.assemble((f"{one.dialect} {one.rule.id}", "bold red"), f" ({one.score:.0%})")


def _print_places(
    printer: Printer, path: str, session: SessionFile, dialect: Dialect[Any], *, error: str, found: list[Explanation]
) -> None:
    """Print where a file breaks the rules that explain a text, and how often others."""
    main = session.conversations[0]
    places = where(error, main.file.entries, dialect)
    explained = {one.rule.id for one in found if one.dialect == dialect.name}
    is_exact = any(place.rule in explained for place in places)
    printer.places(path, main.file, dialect, places, "this rule" if is_exact else "a rule about the same")
    shown = {(place.rule, place.index, place.path) for place in places}
    # A plain list is what was sent; of a session, what `check` finds.
    all_found = check(main.file.entries, dialect) if session.format is MESSAGE_LISTS else main.violations()
    others = sum((each.rule, each.index, each.path) not in shown for each in all_found)
    if others:
        printer.line(f"  and {counted(others, 'violation')} of other rules: see `message-history check`")
