"""What a store knows of a session besides its messages, as the application says it, and where a text was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from message_history.core.turns.calls import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

MAX_NAME: Final = 255
MAX_TITLE: Final = 1_000


@final
@frozen(kw_only=True)
class SessionInfo:
    """A stored session, as it is listed.

    Args:
        session: the session's name, or the path of its file.
        owner: whose it is, as the application says; empty when it has not said.
        title: its title.
        labels: its labels, in order.
        created: when it was begun, in seconds since 1970; None for a file that does not say.
        updated: when it was written to last.
        cursor: its place in the list, for `after`.
    """

    session: str
    owner: str = ""
    title: str = ""
    labels: tuple[str, ...] = ()
    created: float | None = None
    updated: float | None = None
    cursor: str = ""


@final
@frozen(kw_only=True)
class Found:
    """A message, or a title, that has the words that were searched for.

    Args:
        session: the session's name.
        position: the position of the message; None for the session's title.
        text: the text of the message.
        cursor: its place among all that is found, for `after`.
    """

    session: str
    position: int | None
    text: str
    cursor: str


def described(
    owner: str | None,
    title: str | None,
    labels: Iterable[str] | None,
    created: float | datetime | None,
    updated: float | datetime | None,
) -> dict[str, Any]:
    """Return what is newly said of a session, once it is checked."""
    if isinstance(labels, str):
        raise TypeError(f"labels must be a list of str, not a single str: {labels!r:.80}")
    changes = {
        "owner": None if owner is None else checked("owner", owner, MAX_NAME),
        "title": None if title is None else checked("title", title, MAX_TITLE),
        "labels": None if labels is None else sorted({named("a label", each) for each in labels}),
        "created": seconds("created", created),
        "updated": seconds("updated", updated),
    }
    return {name: value for name, value in changes.items() if value is not None}


def named(what: str, text: str) -> str:
    """Check a text that may not be empty, as the name of an owner who is asked for."""
    if not checked(what, text, MAX_NAME):
        raise ValueError(f"{what} must be a str of 1 to {MAX_NAME} characters, not an empty one")
    return text


def checked(what: str, text: str, most: int) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}: {text!r:.80}")
    if len(text) > most or any(each == "\0" or "\ud800" <= each <= "\udfff" for each in text):
        raise ValueError(f"{what} must be valid Unicode of at most {most} characters, without NUL: {text!r:.80}")
    return text
