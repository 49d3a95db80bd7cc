"""What is said of the sessions of a database (whose, what, when), and what is done with many of them at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from attrs import asdict
from sqlalchemy import Row, delete, insert, literal, select, text, tuple_, update

from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.dialects.state import repair_to_json
from message_history.files.errors import SessionError
from message_history.files.files import json_bytes
from message_history.history import MessageHistory
from message_history.storage.about import Found, SessionInfo, named
from message_history.storage.databases.rows import held_by
from message_history.storage.databases.tables import LABELS, SESSIONS, TEXTS, WORDS, can_search, clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.storage.databases.database import Rows

TITLE: Final = -1
"""The position of a title among the texts of a session."""
_LISTED: Final = [SESSIONS.c[name] for name in ("number", "id", "owner", "title", "labels", "created", "updated")]


def describe(rows: Rows, id: str, changes: dict[str, Any]) -> SessionInfo:
    """Say something of a session, which need not be saved yet."""
    connection = rows._connection
    now = clock(connection)
    first = {"revision": 0, "messages": 0, "repairs": 0, "created": now, "updated": now}
    connection.execute(rows.insert(SESSIONS).values(id=id, **first).on_conflict_do_nothing())
    number = connection.execute(select(SESSIONS.c.number).where(SESSIONS.c.id == id).with_for_update()).scalar_one()
    if changes:
        labels = {"labels": json_bytes(changes["labels"]).decode()} if "labels" in changes else {}
        connection.execute(update(SESSIONS).where(SESSIONS.c.number == number).values({**changes, **labels}))
    if "owner" in changes:
        connection.execute(update(TEXTS).where(TEXTS.c.session == number).values(owner=changes["owner"]))
    if "title" in changes:
        connection.execute(delete(TEXTS).where(TEXTS.c.session == number, TEXTS.c.position == TITLE))
        rows.add_texts(number, [(TITLE, changes["title"])] if changes["title"] else [])
    found = info(rows, id)
    _list_by_labels(rows, number, found)
    return found


def _list_by_labels(rows: Rows, number: int, found: SessionInfo) -> None:
    rows._connection.execute(delete(LABELS).where(LABELS.c.session == number))
    same = {"session": number, "owner": found.owner, "updated": found.updated}
    if found.labels:
        rows._connection.execute(insert(LABELS), [{**same, "label": label} for label in found.labels])


def info(rows: Rows, id: str) -> SessionInfo:
    """Return what is said of a session; nothing of one that is not there."""
    found = rows._connection.execute(select(*_LISTED).where(SESSIONS.c.id == id)).first()
    return _info(found) if found is not None else SessionInfo(session=id)


def _info(row: Row[Any]) -> SessionInfo:
    return SessionInfo(
        session=row.id,
        owner=row.owner,
        title=row.title,
        labels=tuple(json.loads(row.labels)),
        created=row.created,
        updated=row.updated,
        cursor=f"{row.updated!r} {row.number}",
    )


def sessions(
    rows: Rows, owner: str | None, label: str | None, after: str | None, limit: int | None
) -> list[SessionInfo]:
    """List sessions, those that were written to last first; each way of asking has an index."""
    # With a label, its own table is read in order, and only the sessions of the page are looked up.
    by, number = (SESSIONS.c, SESSIONS.c.number) if label is None else (LABELS.c, LABELS.c.session)
    wanted = select(*_LISTED).order_by(by.updated.desc(), number.desc()).limit(limit)
    if label is not None:
        wanted = wanted.join_from(LABELS, SESSIONS, SESSIONS.c.number == number).where(by.label == label)
    if owner is not None:
        wanted = wanted.where(by.owner == owner)
    if after is not None:
        wanted = wanted.where(tuple_(by.updated, number) < tuple_(*map(literal, _place(after))))
    return list(map(_info, rows._connection.execute(wanted)))


def _place(cursor: str) -> tuple[float, int]:
    try:
        updated, number = cursor.split(" ")
        return float(updated), int(number)
    except (AttributeError, ValueError):
        raise ValueError(f"after must be the `cursor` of a listed session, not {cursor!r:.80}") from None


def search(rows: Rows, words: str, owner: str | None, after: str | None, limit: int | None) -> list[Found]:
    """Find the newest texts that have all the words."""
    each = str(words).replace("\0", " ").split()
    if not each:
        raise ValueError(f"text must contain a word to search for, not {words!r:.80}")
    if after is not None and not after.isdigit():
        raise ValueError(f"after must be the `cursor` of a search result, not {after!r:.80}")
    columns = (SESSIONS.c.id, TEXTS.c.position, TEXTS.c.text, TEXTS.c.number)
    wanted = select(*columns).join_from(TEXTS, SESSIONS, SESSIONS.c.number == TEXTS.c.session)
    wanted = wanted.order_by(TEXTS.c.number.desc())
    is_older = TEXTS.c.number < int(after) if after is not None else literal(value=True)
    if rows._connection.dialect.name == "sqlite":
        wanted = wanted.where(TEXTS.c.number.in_(_in_sqlite(rows, each, owner, after, limit)))
    else:
        wanted = wanted.where(_in_postgresql(each, owner), is_older).limit(limit)
    return [
        Found(
            session=row.id,
            position=None if row.position == TITLE else row.position,
            text=row.text,
            cursor=str(row.number),
        )
        for row in rows._connection.execute(wanted)
    ]


def _in_sqlite(rows: Rows, words: list[str], owner: str | None, after: str | None, limit: int | None) -> Any:
    if not can_search(rows._connection):
        raise SessionError("this SQLite was built without FTS5, its full-text index; nothing can be searched")
    wanted = " ".join('"' + word.replace('"', '""') + '"' for word in words)
    query = f"text : ({wanted})" + (f' AND owner : "o{owner.encode().hex().upper()}"' if owner is not None else "")
    found = f"SELECT rowid FROM {WORDS} WHERE {WORDS} MATCH :words AND rowid < :before ORDER BY rowid DESC LIMIT :limit"  # noqa: S608
    before = int(after) if after is not None else 2**63 - 1
    return text(found).bindparams(words=query, before=before, limit=-1 if limit is None else limit)


def _in_postgresql(words: list[str], owner: str | None) -> Any:
    values = {f"word_{number}": word for number, word in enumerate(words)}
    queries = [f"phraseto_tsquery('simple', :{name})" for name in values]
    if owner is not None:
        # A word with such a beginning is in no text: it says whose the text is.
        queries.append("array_to_tsvector(ARRAY['@' || :owner])::text::tsquery")
        values["owner"] = owner
    return text(f"words @@ ({' && '.join(queries)})").bindparams(**values)


def owned(rows: Rows, owner: str) -> list[int]:
    """Return the numbers of an owner's sessions, and hold them."""
    return _held(rows, SESSIONS.c.owner == named("owner", owner))


def older(rows: Rows, time: float) -> list[int]:
    """Return the numbers of the sessions that were not written to since a time, and hold them."""
    return _held(rows, SESSIONS.c.updated < time)


def numbered(rows: Rows, id: str) -> list[int]:
    """Return the number of a session, if there is one, and hold it."""
    return _held(rows, SESSIONS.c.id == id)


def _held(rows: Rows, which: Any) -> list[int]:
    wanted = select(SESSIONS.c.number).where(which).order_by(SESSIONS.c.number).with_for_update()
    return list(rows._connection.execute(wanted).scalars())


def exported(rows: Rows, owner: str) -> Iterator[bytes]:
    """Write each of an owner's sessions as a line of JSON, the oldest first: all that is kept of it."""
    wanted = select(*_LISTED).where(SESSIONS.c.owner == named("owner", owner)).order_by(SESSIONS.c.number)
    for found in rows._connection.execute(wanted).all():
        head = rows.head(found.id)
        listed = asdict(_info(found), filter=lambda each, _: each.name != "cursor")
        history = (
            held_by(head, rows.messages(head), rows.repairs(head), DEFAULT_POLICY).history if head else MessageHistory()
        )
        repairs = list(map(repair_to_json, history.repairs))
        yield json_bytes({**listed, "messages": history.to_list(), "repairs": repairs}) + b"\n"
