"""The steps of a walk that store: in files, also cut short, in databases, also a part, and in what programs keep."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from message_history import MessageHistory
from message_history.integrations.state import load, save
from message_history.storage import JsonlSession, NotAContinuationError, SqlSession
from tests.campaigns.ledgers import Known, State, agrees, known_of
from tests.campaigns.walked_replies import Replies

if TYPE_CHECKING:
    from message_history.core.turns.calls import CallRecord

NEW: Final = Known(State.PROPOSED)
HAS_SQL: Final = find_spec("sqlalchemy") is not None
"""Without SQLAlchemy there are no sessions in databases."""


class Sessions(Replies):
    """The steps that store."""

    _file: JsonlSession | None = None
    _rows: SqlSession | None = None

    def do_pickle(self) -> None:
        """Pickle, and take it out."""
        self.history = pickle.loads(pickle.dumps(self.history))

    def do_state(self) -> None:
        """Keep it as frameworks do."""
        self.history = load(save(self.history))

    def do_list(self) -> None:
        """Save and load."""
        self.history = MessageHistory.from_list(self.history.to_list())

    def stored(self, session: JsonlSession | SqlSession) -> None:
        """Store what there is."""
        history = self.history
        try:
            if self.random.random() < 0.7:
                session.append(history)
            else:
                session.update(lambda _: history)
        except NotAContinuationError:
            session.save(history)

    def loaded(self, session: JsonlSession | SqlSession) -> None:
        """Go on with what is stored."""
        before, calls = self.history, self.calls()
        self.history = session.load()
        assert self.history == before, "loaded, it is another"
        assert self.calls() == calls, "loaded, its calls are others"
        assert self.history.usage() == before.usage(), "loaded, it has cost something else"

    def file(self) -> JsonlSession:
        """Return the file."""
        if self._file is None:
            self._file = JsonlSession(self.folder / f"{self.name}.jsonl", fsync="never")
        return self._file

    def rows(self) -> SqlSession:
        """Return the rows in the database."""
        if self._rows is None:
            self._rows = self.opened()
        return self._rows

    def opened(self) -> SqlSession:
        """Open the rows as another process does."""
        return SqlSession(self.folder / "walks.db", self._rows.session_id if self._rows is not None else self.name)

    def end(self) -> None:
        """Take away what was stored."""
        if self._file is not None:
            for path in self.folder.glob(f"{self.name}.jsonl*"):
                path.unlink()
        if self._rows is not None:
            self._rows.delete()

    def do_file(self) -> None:
        """Store in a file; another process goes on."""
        self.stored(self.file())
        if self.random.random() < 0.5:
            self._file = JsonlSession(self.file().path, fsync="never")
            self.loaded(self._file)

    def do_torn_file(self) -> None:
        """The process is killed while it writes: what was written before is there, and perhaps some of the rest."""
        session = self.file()
        self.stored(session)
        data = session.path.read_bytes()
        versions = [(len(data), self.history, dict(self.ledger))]
        for _ in range(self.random.randint(1, 3)):
            self.some_of(self.do_user, self.do_text, self.do_record, self.do_result, self.do_call)
            self.stored(session)
            before, data = data, session.path.read_bytes()
            if not data.startswith(before):
                versions.clear()  # It was replaced at one stroke.
            versions.append((len(data), self.history, dict(self.ledger)))
        size = self.random.randint(versions[0][0], len(data))
        session.path.write_bytes(data[:size])
        self._file = JsonlSession(session.path, fsync="never")
        loaded = self._file.load()
        whole = [version for version in versions if version[0] <= size]
        _, history, old = whole[-1]
        _, _, new = versions[min(len(whole), len(versions) - 1)]
        assert size > whole[-1][0] or loaded == history, "what was written is another"
        self.history, self.ledger = loaded, {key: old.get(key, known) for key, known in new.items()}
        self.rewritten()
        self._enter_torn(old, new)

    def _enter_torn(self, old: dict[str, Known], new: dict[str, Known]) -> None:
        """Each call is as it was before, or as it was to be; those of before are there."""
        found = {each.key: each for each in self.calls()}
        assert old.keys() - self.gone <= found.keys(), "a call that was written is lost"
        for key, each in found.items():
            known = known_of(each)
            may_be = {old.get(key), new[key]}
            if old.get(key, NEW).state is State.PROPOSED:
                may_be |= {NEW, Known(State.UNKNOWN)}
            assert known in may_be, f"{each.call} is {known}, and was to be one of {may_be}"
            self.ledger[key] = known
        for key in self.ledger.keys() - found.keys() - self.gone:
            del self.ledger[key]
        # What was never stored is as if it had not been: its like in the same turn may be taken for it (decision 29).
        self.older = {key: call for key, call in self.older.items() if key in self.ledger}

    def do_rows(self) -> None:
        """Store in a database; another process goes on."""
        if HAS_SQL:
            self.stored(self.rows())
            if self.random.random() < 0.5:
                self._rows = self.opened()
                self.loaded(self._rows)

    def do_rows_in_part(self) -> None:
        """Another process loads the newest turns, goes on with them and stores that; the older rows stay."""
        if not HAS_SQL or len(self.history) < 4:
            return
        self.stored(self.rows())
        whole = self.history
        part = self.opened()
        self.history = part.load(turns=self.random.randint(1, 3))
        kept = {each.key: each for each in self.calls()}
        everything: dict[str, CallRecord] = {each.key: each for each in whole.calls}
        assert all(known_of(each) == self.ledger[key] for key, each in kept.items())
        older = {key: known for key, known in self.ledger.items() if key not in kept}
        self.some_of(self.do_user, self.do_text, self.do_record, self.do_result, self.do_call, most=4)
        agrees(self.calls(), {key: known for key, known in self.ledger.items() if key not in older}, self.gone)
        if self.random.random() < 0.7:
            part.append(self.history)
        else:
            part.save(self.history)
        self._rows = self.opened()
        self.history = self._rows.load()
        assert everything.keys() <= {each.key for each in self.calls()}, "an older call is lost"

    def do_fork(self) -> None:
        """Go on with a copy in the database: keys that were made before stay."""
        if HAS_SQL:
            self.stored(self.rows())
            before = self.rows()
            self._rows = before.fork(f"{self.name} {self.number()}")
            before.delete()
            self.loaded(self._rows if self.random.random() < 0.5 else self.opened())
