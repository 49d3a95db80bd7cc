"""What the commands print: results to the standard output, errors to the standard error."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from message_history.core.messages.repairs import Severity
from message_history.files.files import FileForm, json_bytes
from message_history.markup import UNSEEN
from message_history.words import DONE, TITLES, detail_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from message_history.cli.exit_codes import ExitCode
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.files.conversations import Conversation
    from message_history.files.damaged_json import LineNote
    from message_history.files.files import SavedFile
    from message_history.files.repaired_lists import RepairedList
    from message_history.formats.reading import RepairedSession, SessionFile
    from message_history.violations import Violation

SEVERITY_STYLES: Final = {Severity.LOSSLESS: "cyan", Severity.SYNTHETIC: "yellow", Severity.LOSSY: "red"}

_UNSAFE: Final = re.compile(UNSEEN)


def visible(text: str) -> str:
    """Escape control characters, line ends and lone surrogates, so that a text is safe to print in a line."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def visible_json(value: object) -> str:
    """Write indented JSON that is safe to print: what `visible` escapes is escaped as in JSON."""
    return escaped_json(json_bytes(value, indent=2).decode())


def escaped_json(text: str) -> str:
    """Escape, in a text of JSON values, the characters that `visible` escapes as JSON does; its lines stay."""
    return _UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number:,} {thing}s"


def repair_line(repair: Repair, file: SavedFile, indent: str) -> Text:
    where = f"{file.place_of(repair.source)}: " if repair.source is not None else ""
    line = Text(f"{indent}{where}")
    line.append(repair.code.value, SEVERITY_STYLES[repair.severity])
    line.append(f" ({repair.severity.value})", "dim")
    line.append(f": {TITLES[repair.code]}")
    detail = detail_of(repair)
    if detail:
        line.append(f": {one_line(detail)}")
    return line


class Printer:
    """Both outputs; they are one when both are the screen, so that the progress bar is not written over."""

    def __init__(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character does not stop the command.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        self._out = _console(stderr=False)
        self._err = _console(stderr=True)
        if self._out.is_terminal and self._err.is_terminal:
            self._err = self._out

    def finish(self, code: ExitCode) -> ExitCode:
        return code

    def result_on_stdout(self) -> None:
        """Take the standard output for a result, and print everything else to the standard error."""
        self._out = self._err

    @property
    def screen(self) -> Console:
        """Return where a progress bar is seen: the standard output if it is a terminal, else the standard error."""
        return self._out if self._out.is_terminal else self._err

    def line(self, text: Text | str) -> None:
        self._out.print(text)

    def diff_line(self, line: str, indent: str = "") -> None:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "dim")
        self.line(Text(f"{indent}{' ' if line[:1] == ' ' else ''}{one_line(line)}", style))

    def error(self, path: str, why: str) -> None:
        self._err.print(Text.assemble((f"{visible(path)}: ", "bold"), ("error: ", "bold red"), visible(why)))

    def line_note(self, path: str, note: LineNote) -> None:
        """Say what could not be read as it is."""
        done = "skipped" if note.skipped is not None else "kept"
        place = f"{visible(path)}: line {note.line}: "
        self._err.print(Text.assemble((place, "bold"), (f"{done}: ", "yellow"), one_line(note.detail)))

    def remark(self, path: str, what: str) -> None:
        self._err.print(Text.assemble((f"{visible(path)}: ", "bold"), visible(what)))

    def checked(
        self,
        path: str,
        conversation: Conversation,
        dialect: Dialect[Any],
        violations: Sequence[Violation],
        *,
        is_judged: bool,
    ) -> None:
        """Print what is wrong with a conversation; `is_judged` says whether anything was looked for."""
        file = conversation.file
        found = counted(len(violations), "violation") if violations else "no violations"
        style = "bold red" if violations else "bold green"
        if not violations and not is_judged:
            # That there is nothing wrong with it would be wrong to say.
            found = f"not judged, since no program is known to send it as it is; `--dialect {dialect.name}` judges it"
            style = "yellow"
        entries = counted(len(file.entries), "message")
        name = f"{visible(conversation.named(path))}: "
        self.line(Text.assemble((name, "bold"), f"{dialect.name}, {entries}, ", (found, style)))
        demands = {rule.id: rule.rule for rule in dialect.rules}
        for violation in sorted(violations, key=lambda found: -1 if found.index is None else found.index):
            self.violation(file, violation, demands.get(violation.rule, ""))

    def unknown(self, path: str, conversation: Conversation, dialect: Dialect[Any], found: Sequence[Violation]) -> None:
        """Print what no rule knows in a conversation, which is not a violation."""
        for each in found:
            self.violation(conversation.file, each, style="yellow")

    def places(self, path: str, file: SavedFile, dialect: Dialect[Any], found: Sequence[Violation], rule: str) -> None:
        """Print where a file breaks the rules that explain a text, or others about the same."""
        listed = f"{dialect.name}, {counted(len(file.entries), 'message')}, "
        summary = f"it breaks {rule} in {counted(len(found), 'place')}" if found else "it does not break this rule"
        style = "bold red" if found else "bold green"
        self.line(Text.assemble((f"{visible(path)}: ", "bold"), listed, (summary, style)))
        for violation in found:
            self.violation(file, violation)

    def violation(self, file: SavedFile, violation: Violation, demand: str = "", style: str = "red") -> None:
        """Print one thing that is wrong with a file, where, what its rule demands, and what the provider answers."""
        where = "the list" if violation.index is None else file.place_of(violation.index)
        path_in = f" {violation.path}" if violation.path else ""
        place = f"  {where}{visible(path_in)}: "
        self.line(Text.assemble(place, (violation.rule, style), f": {one_line(violation.detail)}"))
        if demand and demand != violation.detail:
            self.line(Text(f"    {one_line(demand)}"))
        if violation.error and violation.error != violation.detail:
            self.line(Text(f"    the provider says: {one_line(violation.error)}", "dim"))

    def repaired(self, path: str, file: SavedFile, repaired: RepairedList, target: str | None) -> None:
        """Print what was done to a file, and where the result is; None for the standard output."""
        repairs, out = repaired.repairs, self._out
        out.print(Text.assemble((f"{visible(path)}: ", "bold"), _summary(repairs)))
        for repair in repairs:
            out.print(repair_line(repair, file, "  "))
        if repaired.form is FileForm.OBJECT is not file.form:
            out.print("  the system prompt has no place in the list: written as an object that holds both")
        for part in repaired.omitted:
            out.print(Text.assemble("  omitted: ", visible(str(part))))
        if repaired.required:
            out.print(f"  to send it, add: {', '.join(repaired.required)}")
        if target is not None:
            out.print(Text.assemble("  written: ", (visible(target), "bold"), f" ({repaired.dialect.name})"))
        for violation in repaired.violations:
            self.error(target or path, f"the provider would refuse this: {violation.rule}: {violation.detail}")

    def session_repaired(self, path: str, session: SessionFile, repaired: RepairedSession, target: str | None) -> None:
        """Print what was done to a session file, and where the result is; None for the standard output."""
        files = {conversation.label: conversation for conversation in session.conversations}
        for label, repairs in repaired.repairs:
            conversation = files[label]
            self.line(Text.assemble((f"{visible(conversation.named(path))}: ", "bold"), _summary(repairs)))
            for repair in repairs:
                self.line(repair_line(repair, conversation.file, "  "))
        if not repaired.repairs:
            self.line(Text.assemble((f"{visible(path)}: ", "bold"), _summary(())))
        if target is not None:
            self.line(Text.assemble("  written: ", (visible(target), "bold"), f" ({session.format.name})"))
        for conversation, violation in repaired.after.violations():
            why = f"the provider would refuse this: {violation.rule}: {violation.detail}"
            self.error(conversation.named(target or path), why)

    def written(self, path: str, target: str | None, backup: str | None = None) -> None:
        """Print where the result of a file is; None for the standard output."""
        if target is not None:
            kept = f"; as it was: {backup}" if backup is not None else ""
            self.line(Text.assemble((f"{visible(path)}: ", "bold"), visible(f"written: {target}{kept}")))

    def examined(self, path: str, state: str, session: SessionFile | None, detail: str) -> None:
        """Take what `doctor` found out about a file; it is printed in a table at the end."""

    def shown(self, path: str, file: SavedFile, messages: list[Any], repairs: Iterable[Repair]) -> None:
        """Take a conversation as `show` shows it; its lines are printed one by one."""

    def add(self, key: str, value: Any) -> None:
        """Take what only one command has, for a report; its lines are printed one by one."""

    def progress(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths, one by one, with a progress bar on a screen when there are several."""
        console = self.screen
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
        hidden = len(paths) < 2 or not console.is_terminal
        with Progress(
            *columns, console=console, transient=True, disable=hidden, redirect_stdout=False, redirect_stderr=False
        ) as bar:
            task = bar.add_task("", total=len(paths))
            for path in paths:
                bar.update(task, description=visible(path))
                yield path
                bar.advance(task)


def _console(*, stderr: bool) -> Console:
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _summary(repairs: Sequence[Repair]) -> Text:
    if not repairs:
        return Text("nothing to repair", "bold green")
    counts = Counter(repair.severity for repair in repairs)
    done = ", ".join(f"{counts[severity]} {what}" for severity, what in DONE.items() if counts[severity])
    return Text(f"{counted(len(repairs), 'repair')} ({done})", "bold")


def one_line(text: str) -> str:
    return visible(" ".join(text.split()))
