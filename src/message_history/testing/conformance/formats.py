"""What every format of files must keep, whatever program writes it."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

from message_history.files.files import NotRecognisedError, UnreadableFileError
from message_history.formats.kit.base import Fit
from message_history.formats.kit.document import parse_document
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from message_history.testing.conformance.examples import ODD_VALUES, places, planted, recorded, story_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_history.formats.kit.base import Format
    from message_history.formats.reading import SessionFile

STORY: Final = (
    ("user", "What is in a.txt?"),
    ("assistant", "Let me look."),
    ("call", "read_file"),
    ("result", "three lines"),
    ("assistant", "It has three lines."),
)
"""What a sample tells unless it says otherwise: each text with its role, each call by its name, each result."""
STRANGE: Final = {"brand_new": {"words": "Told in a way that nobody knows."}}
OTHERS: Final = (
    *(
        b"",
        b"\0\xff",
        b"# A text\n\n> quoted\n",
        b"[]",
        b"{}",
        b"3",
        b"[[]]\n[[]]\n",
        b'{"messages": 3}',
        b'{"a": [{}]}\n{',
    ),
    b'[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "text", "text": "a"}]}]',
    b'{"type": "user", "message": {"role": "user", "content": "q"}, "uuid": "u", "sessionId": "s"}\n{"type": 1}\n',
    b'{"id": 1, "messages": [{"role": "user", "parts": [{"text": "q"}]}, {"role": null}], "history": {}, "runs": [3]}',
)
"""Files of others, and of nobody."""


class FormatConformance:
    """The tests of every format of files: subclass it in a test file, and pytest runs them.

        class TestMyFormat(FormatConformance):
            format = MY_FORMAT
            sample = Path("session.jsonl").read_bytes()
            story = (("user", "What is in a.txt?"), ("assistant", "It has three lines."))

    The format must be registered, by its entry point: that it alone recognises its files is tested too. A subclass
    for each version of the form tests more.
    """

    format: Format  # the format
    sample: bytes  # a small sound file, which tells as much of a conversation as the format can hold
    # What the first conversation in it tells, in its order: ("user", text), ("assistant", text), ("call", the tool's
    # name) and ("result", text). `STORY` unless it is named.
    story: Sequence[tuple[str, str]] = STORY

    def test_the_file_is_certainly_in_its_own_format_and_in_no_other_program_s(self) -> None:
        document = parse_document(self.sample)
        certain = [each for each in FORMATS.values() if each.fit(document) is Fit.CERTAIN]
        same = [each.name for each in certain if each.general is self.format.general]
        # Of those that many programs write, the first decides.
        assert same[: 1 if self.format.general else None] == [self.format.name]

    def test_the_file_is_read_whole_and_nothing_is_repaired(self) -> None:
        session = session_in(self.sample)
        main = session.conversations[0]
        assert main.origin.format == session.format.name == self.format.name
        assert session.unread == ()
        history = main.history()
        assert story_of(history) == list(self.story)
        assert history.repairs == ()
        assert session.violations() == []

    def test_the_sound_file_is_never_changed(self) -> None:
        assert self._read(self.sample).repair_file().data == self.sample

    def test_an_entry_of_an_unknown_kind_is_never_lost_without_a_word(self) -> None:
        whole = self._values()
        if isinstance(whole, list) and whole:
            assert self._is_reported(self._laid_out([*whole, STRANGE]))

    def test_a_file_with_odd_values_is_read_or_refused(self) -> None:
        whole = self._values()
        odd = cycle(ODD_VALUES)
        for path, value in places(whole):
            if not isinstance(value, dict | list) or not value:
                self._is_read_or_refused(self._laid_out(planted(whole, path, next(odd))))

    def test_files_of_others_are_read_or_refused(self) -> None:
        for data in OTHERS:
            self._is_read_or_refused(data)

    def test_a_file_that_lost_an_entry_is_sound_again_and_keeps_the_rest(self) -> None:
        for data in self._with_an_entry_lost() if self.format.repair is not None else ():
            broken = self._read(data)
            if broken.refusal is None:
                self._is_repaired(broken)

    def test_what_is_read_only_says_why(self) -> None:
        assert bool(self.format.unwritten) == (self.format.repair is None)

    def _read(self, data: bytes) -> SessionFile:
        return session_in(data, chosen=self.format)

    def _is_reported(self, data: bytes) -> bool:
        try:
            session = session_in(data)
        except NotRecognisedError as error:
            return self.format.name in error.nearest
        if session.unread or session.notes or session.conversations[0].omitted:
            return True
        # A program's line that is not a message stays in the file as it is.
        return session.format.repair is not None or "brand_new" in str([each.file for each in session.conversations])

    def _is_read_or_refused(self, data: bytes) -> None:
        try:
            for each in self._read(data).conversations:
                each.history()
        except UnreadableFileError:
            pass

    def _is_repaired(self, broken: SessionFile) -> None:
        repaired = broken.repair_file()
        assert repaired.after.violations() == []
        assert repaired.after.repair_file().data == repaired.data
        kept = [part for each in repaired.after.conversations for part in story_of(each.history())]
        taken = "".join(recorded(repairs) for _, repairs in repaired.repairs)
        for part in story_of(broken.conversations[0].history()):
            assert part in kept or json.dumps(part[1])[1:-1] in taken, part

    def _values(self) -> Any:
        """Return the file's value, or those of its lines."""
        document = parse_document(self.sample)
        return document.value if document.value is not None else [row for _, row in document.rows()]

    def _laid_out(self, whole: Any) -> bytes:
        if parse_document(self.sample).value is not None:
            return json.dumps(whole).encode()
        return b"".join(json.dumps(row).encode() + b"\n" for row in whole)

    def _with_an_entry_lost(self) -> Iterator[bytes]:
        """Give the file without each of its rows, and without each item of the lists at the top of an object."""
        whole = self._values()
        if isinstance(whole, list):
            yield from (self._laid_out(whole[:n] + whole[n + 1 :]) for n in range(1, len(whole)))
            return
        lists = {key: items for key, items in whole.items() if isinstance(items, list)}
        for key, items in lists.items():
            yield from (self._laid_out({**whole, key: items[:n] + items[n + 1 :]}) for n in range(len(items)))
