"""What the clinic's page asks Python for: what is wrong with a file, the pages that show it, and the repaired file.

It runs in the reader's browser, in a worker; everything that goes in and out is text or bytes.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.registry import DIALECTS
from message_history.explaining import cause_of, explain, subject_of, where
from message_history.files.files import UnreadableFileError, read_bytes
from message_history.files.repaired_lists import repair_file
from message_history.formats.reading import session_in
from message_history.words import TITLES, detail_of, instead_of_repair
from message_history_pages import changes_page, transcript_page

if TYPE_CHECKING:
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.files.conversations import Conversation
    from message_history.files.files import SavedFile
    from message_history.files.repaired_lists import RepairedList
    from message_history.formats.reading import RepairedSession, SessionFile

MOST: Final = 500
"""How many violations and repairs are listed; the pages show all of them."""
OWN: Final = "own"
"""The choice of a download in the form that the file has."""


class Patient:
    """One file, or one error text, and what was found out about it.

    Args:
        name: what the file is called.
        data: what was dropped or pasted.
        error: the provider's error text, when there is one.
    """

    def __init__(self, name: str, data: bytes, error: str = "") -> None:
        self.name = name
        self.error = error
        self.problem = ""
        self.session: SessionFile | None = None
        self._repaired: RepairedSession | None = None
        self._list: RepairedList | None = None
        try:
            self.session = session_in(data)
        except UnreadableFileError as unreadable:
            self.problem = str(unreadable)
            # What holds no conversation may be the error text itself.
            if not error:
                self.error = data.decode("utf-8", "replace")

    def report(self) -> str:
        """Return what is wrong and what was repaired, as JSON."""
        report: dict[str, Any] = {"name": self.name, "explained": self._explained()}
        report["elsewhere"] = "" if report["explained"] else self._elsewhere()
        if self.session is None:
            known = "nor is it an error that a provider is known to give"
            if report["elsewhere"]:
                known = f"taken as an error text, it is {report['elsewhere']}".rstrip(".")
            return json.dumps({**report, "problem": "" if report["explained"] else f"{self.problem}; {known}"})
        main = self._main
        violations = sorted(main.violations(), key=lambda each: -1 if each.index is None else each.index)
        repairs = self._repairs()
        files = {each.label: each.file for each in self.session.conversations}
        return json.dumps(
            {
                **report,
                "problem": "",
                "kind": self.session.format.name,
                "dialect": main.dialect().name,
                "messages": len(main.file.entries),
                "others": [each.label for each in self.session.conversations[1:]],
                "skipped": [
                    {"where": f"line {note.line}", "detail": note.detail} for note in self.session.notes[:MOST]
                ],
                "violations": [self._violation(each, main.file, main.dialect()) for each in violations[:MOST]],
                "violation_count": len(violations),
                "repairs": [
                    {
                        "title": TITLES[repair.code],
                        "code": repair.code.value,
                        "severity": repair.severity.value,
                        "where": files[label].place_of(repair.source) if repair.source is not None else "",
                        "detail": detail_of(repair),
                    }
                    for label, repair in repairs[:MOST]
                ],
                "repair_count": len(repairs),
                "left": self._left()[:MOST],
                "unwritten": "" if self.repaired is not None else self._why_unwritten(),
                "forms": self._forms(),
            }
        )

    @property
    def _main(self) -> Conversation:
        assert self.session is not None  # noqa: S101 - every caller has a session
        return self.session.conversations[0]

    @property
    def repaired(self) -> RepairedSession | None:
        """Return the repaired file, which is made once; None for a broken one that is not written in its own form."""
        assert self.session is not None  # noqa: S101 - every caller has a session
        if self._repaired is None and self._list is None:
            try:
                self._repaired = self.session.repair_file()
            except UnreadableFileError:
                self._list = repair_file(self._main.file, dialect=self._main.known)
        return self._repaired

    @property
    def _repaired_list(self) -> RepairedList:
        """Return the main conversation as a repaired list, where `repaired` is None."""
        assert self._list is not None  # noqa: S101 - every caller has asked for `repaired` before
        return self._list

    def _repairs(self) -> list[tuple[str, Repair]]:
        """Return what was repaired, each with the conversation that it is of."""
        if self.repaired is None:
            return [(self._main.label, repair) for repair in self._repaired_list.repairs]
        return [(label, repair) for label, found in self.repaired.repairs for repair in found]

    def _left(self) -> list[str]:
        """Return what a provider would still refuse."""
        if self.repaired is None:
            return [str(each) for each in self._repaired_list.violations]
        return [str(each) for _, each in self.repaired.after.violations()]

    def _why_unwritten(self) -> str:
        """Say why a broken file is not written in its own form."""
        assert self.session is not None  # noqa: S101 - every caller has a session
        own = self.session.format
        if own.repair is None:
            return f"Files of the format {own.name} are read, not written: {own.unwritten}."
        return f"This file is not written again: {self.session.refusal or 'nothing in it could be'}."

    def _forms(self) -> list[str]:
        """Return the forms of a download, the one that is closest to the file first."""
        if self.repaired is not None:
            return [OWN, *sorted(DIALECTS)]
        own = self._main.dialect().name
        return [own, *sorted(DIALECTS.keys() - {own})]

    def _explained(self) -> list[dict[str, Any]]:
        if not self.error.strip():
            return []
        dialect = self._main.dialect() if self.session is not None else None
        found = explain(self.error, dialect)
        places = (
            [str(each) for each in where(self.error, self._main.file.entries, dialect)[:MOST]]
            if dialect is not None
            else []
        )
        return [
            {
                "dialect": each.dialect,
                "rule": each.rule.id,
                "demanded": each.rule.rule,
                "cause": cause_of(each),
                "instead": instead_of_repair(each.rule.repair),
                "repaired": each.rule.repair,
                "error": each.error,
                "score": round(each.score, 2),
                "places": places if each is found[0] else [],
            }
            for each in found[:3]
        ]

    def _elsewhere(self) -> str:
        """Return what an error is about that is not about the messages."""
        subject = subject_of(self.error)
        if subject is None:
            return ""
        return f"not about the form of the messages, but about {subject.name}: {subject.hint}"

    def _violation(self, violation: Any, file: SavedFile, dialect: Dialect[Any]) -> dict[str, str]:
        rule = next((each for each in dialect.rules if each.id == violation.rule), None)
        return {
            "rule": violation.rule,
            "where": "the list" if violation.index is None else file.place_of(violation.index),
            "path": violation.path,
            "detail": violation.detail,
            "error": violation.error,
            "demanded": rule.rule if rule is not None else "",
        }

    def page(self, which: str) -> str:
        """Give a page that shows the conversation.

        Args:
            which: `transcript`, or `changes` for before and after.

        Returns:
            HTML.
        """
        main = self._main
        if which == "transcript":
            return transcript_page(self.name, main.file, main.violations(), dialect=main.known).decode()
        if self.repaired is None:
            file, repairs = read_bytes(self._repaired_list.data), self._repaired_list.repairs
            return changes_page(self.name, main.file, file, main.violations(), repairs).decode()
        after = {each.label: each.file for each in self.repaired.after.conversations}
        file = after.get(main.label, self.repaired.after.conversations[0].file)
        repairs = dict(self.repaired.repairs).get(main.label, ())
        return changes_page(self.name, main.file, file, main.violations(), repairs).decode()

    def download(self, form: str) -> tuple[str, bytes]:
        """Give the repaired file.

        Args:
            form: a dialect's name, or `own` for the form that the file has.

        Returns:
            What to call it, and its content.
        """
        assert self.session is not None  # noqa: S101 - every caller has a session
        stem = PurePath(self.name).stem or "conversation"
        repaired = self.repaired
        if form == OWN and repaired is not None:
            return f"{stem}.repaired.{_ending(repaired.data)}", repaired.data
        main = self._main
        converted = repair_file(main.file, dialect=main.known, to=DIALECTS[form])
        return f"{stem}.{form}.{_ending(converted.data)}", converted.data


def _ending(data: bytes) -> str:
    """Name a file's ending by what it holds: one JSON value, or one in each line."""
    try:
        json.loads(data)
    except ValueError:
        return "jsonl"
    return "json"
