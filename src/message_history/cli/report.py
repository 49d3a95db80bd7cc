"""What the commands print with `--json`: one JSON object, for programs."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Final, final

import click

from message_history.cli.printing import Printer, visible_json
from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import thaw
from message_history.dialects.native.render import block_to_json
from message_history.words import TITLES, detail_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.text import Text

    from message_history.cli.exit_codes import ExitCode
    from message_history.core.messages.repairs import Removed, Repair
    from message_history.dialects import Dialect
    from message_history.files.conversations import Conversation
    from message_history.files.damaged_json import LineNote
    from message_history.files.files import SavedFile
    from message_history.files.repaired_lists import RepairedList
    from message_history.formats.reading import RepairedSession, SessionFile
    from message_history.violations import Violation

MOST_IN_MEMORY: Final = 8 * 1024 * 1024
"""What of a report is kept in memory; what is longer is in a temporary file."""
CHUNK: Final = 1024 * 1024
SCHEMA: Final = 1
"""The version of the report; it counts up when something in it is taken away or changes its meaning."""


def printer_for(command: str, *, as_json: bool) -> Printer:
    """Return what a command prints with. `finish` ends what it prints."""
    return JsonReport(command) if as_json else Printer()


@final
class JsonReport(Printer):
    """One JSON object, printed at the end: to the standard output, or the standard error when a result goes there."""

    def __init__(self, command: str) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - few commands are asked for a report

        super().__init__()
        self._to_stderr = False
        self._files: dict[str, dict[str, Any]] = {}
        # The entries of files that are complete: a folder may hold more sessions than memory does.
        self._done: SpooledTemporaryFile[str] | None = None
        self._report: dict[str, Any] = {
            "schema": SCHEMA,
            "version": version("message-history"),
            "command": command,
            "exit_code": 0,
            "files": [],
        }

    def finish(self, code: ExitCode) -> ExitCode:
        self._report["exit_code"] = int(code)
        for path in list(self._files):
            self._finish_file(path)
        before, key, after = visible_json(self._report).partition('"files": [')
        click.echo(before + key, nl=False, err=self._to_stderr)
        if self._done is not None:
            with self._done:
                self._done.seek(0)
                while chunk := self._done.read(CHUNK):
                    click.echo(chunk, nl=False, err=self._to_stderr)
            after = "\n  " + after
        click.echo(after, err=self._to_stderr)
        return code

    def _finish_file(self, path: str) -> None:
        """Write the entry of a file; nothing is added to it any more."""
        entry = visible_json(self._files.pop(path)).replace("\n", "\n    ")
        if self._done is None:
            # `finish` closes it.
            self._done = SpooledTemporaryFile(MOST_IN_MEMORY, "w+", encoding="utf-8")  # noqa: SIM115
        self._done.write((",\n    " if self._done.tell() else "\n    ") + entry)

    def result_on_stdout(self) -> None:
        """Take the standard output for a result: the report goes to the standard error."""
        self._to_stderr = True

    def line(self, text: Text | str) -> None:
        """Print nothing: what a line says is in the report."""

    def diff_line(self, line: str, indent: str = "") -> None:
        if self._files:
            next(reversed(self._files.values())).setdefault("diff", []).append(line)

    def error(self, path: str, why: str) -> None:
        """Keep why a file cannot be worked on."""
        self._file(path)["errors"].append(why)

    def line_note(self, path: str, note: LineNote) -> None:
        """Keep what could not be read as it is."""
        found = {"line": note.line, "detail": note.detail, "skipped": note.skipped is not None}
        self._file(path)["notes"].append(found)

    def remark(self, path: str, what: str) -> None:
        """Keep a remark about a file."""
        self._file(path)["remarks"].append(what)

    def written(self, path: str, target: str | None, backup: str | None = None) -> None:
        """Keep where the result of a file is."""
        self._file(path).update(output=target, backup=backup)

    def checked(
        self,
        path: str,
        conversation: Conversation,
        dialect: Dialect[Any],
        violations: Sequence[Violation],
        *,
        is_judged: bool,
    ) -> None:
        """Keep what is wrong with a conversation."""
        found = self._conversation(path, conversation.label, conversation.file, dialect)
        found["judged"] = is_judged
        found["violations"] = list(_violations(conversation.file, dialect, violations))

    def unknown(self, path: str, conversation: Conversation, dialect: Dialect[Any], found: Sequence[Violation]) -> None:
        """Keep what no rule knows in a conversation, which is not a violation."""
        kept = self._conversation(path, conversation.label, conversation.file, dialect)
        kept["unknown"] = list(_violations(conversation.file, dialect, found))

    def places(self, path: str, file: SavedFile, dialect: Dialect[Any], found: Sequence[Violation], rule: str) -> None:
        """Keep where a file breaks the rules that explain a text, or others about the same."""
        self._conversation(path, "", file, dialect)["violations"] = list(_violations(file, dialect, found))

    def repaired(self, path: str, file: SavedFile, repaired: RepairedList, target: str | None) -> None:
        """Keep what was done to a file."""
        found = self._conversation(path, "", file, repaired.dialect)
        found["repairs"] = [_repair(each, file) for each in repaired.repairs]
        found["violations"] = list(_violations(None, repaired.dialect, repaired.violations))
        found["omitted"] = [
            {"path": part.path, "value": _plain(part.value), "why": part.why} for part in repaired.omitted
        ]
        found["required"] = list(repaired.required)
        self.written(path, target)

    def session_repaired(self, path: str, session: SessionFile, repaired: RepairedSession, target: str | None) -> None:
        """Keep what was done to a session file."""
        self._file(path)["format"] = session.format.name
        done = dict(repaired.repairs)
        left = repaired.after.violations()
        for conversation in session.conversations:
            dialect = conversation.dialect()
            found = self._conversation(path, conversation.label, conversation.file, dialect)
            found["repairs"] = [_repair(each, conversation.file) for each in done.get(conversation.label, ())]
            still = [each for where, each in left if where.label == conversation.label]
            found["violations"] = list(_violations(None, dialect, still))
        self.written(path, target)

    def examined(self, path: str, state: str, session: SessionFile | None, detail: str) -> None:
        """Keep what `doctor` found out about a file."""
        kept = self._file(path)
        kept["state"] = state
        if session is None:
            kept["errors"] += [detail] if detail and detail not in kept["errors"] else []
        else:
            kept["format"] = session.format.name
            for conversation in session.conversations:
                found = conversation.violations()
                self.checked(path, conversation, conversation.dialect(), found, is_judged=conversation.is_judged)
        self._finish_file(path)

    def shown(self, path: str, file: SavedFile, messages: list[Any], repairs: Iterable[Repair]) -> None:
        """Keep a conversation as `show` shows it."""
        found = self._conversation(path, "", file, file.dialect())
        found["history"] = messages
        found["repairs"] = [_repair(each, file) for each in repairs]

    def add(self, key: str, value: Any) -> None:
        """Keep what only one command has."""
        self._report[key] = value

    def progress(self, paths: Sequence[str]) -> Iterator[str]:
        yield from paths

    def _file(self, path: str) -> dict[str, Any]:
        return self._files.setdefault(
            path, {"path": path, "errors": [], "notes": [], "remarks": [], "conversations": []}
        )

    def _conversation(self, path: str, label: str, file: SavedFile, dialect: Dialect[Any]) -> dict[str, Any]:
        kept: list[dict[str, Any]] = self._file(path)["conversations"]
        for each in kept:
            if each["label"] == label:
                return each
        kept.append({"label": label, "dialect": dialect.name, "messages": len(file.entries)})
        return kept[-1]


def _violations(
    file: SavedFile | None, dialect: Dialect[Any], violations: Iterable[Violation]
) -> Iterator[dict[str, Any]]:
    demands = {rule.id: rule.rule for rule in dialect.rules}
    for each in sorted(violations, key=lambda found: -1 if found.index is None else found.index):
        yield {
            "rule": each.rule,
            "entry": each.index,
            "line": _line(file, each.index) if file is not None else None,
            "path": each.path,
            "detail": each.detail,
            "demand": demands.get(each.rule, ""),
            "error": each.error,
        }


def _repair(repair: Repair, file: SavedFile) -> dict[str, Any]:
    return {
        "code": repair.code.value,
        "severity": repair.severity.value,
        "title": TITLES[repair.code],
        "detail": detail_of(repair),
        "message": repair.index,
        "entry": repair.source,
        "line": _line(file, repair.source),
        "ids": list(repair.ids),
        "removed": list(map(_value, repair.removed)),
        "added": list(map(_value, repair.added)),
    }


def _line(file: SavedFile, entry: int | None) -> int | None:
    return file.lines[entry] if entry is not None and 0 <= entry < len(file.lines) else None


def _value(value: Removed) -> Any:
    return block_to_json(value) if isinstance(value, Block) else thaw(value)


def _plain(value: Any) -> Any:
    """Return the JSON form of a value that was omitted."""
    from attrs import asdict, has  # noqa: PLC0415 - few reports need it

    return asdict(value) if has(type(value)) else value
