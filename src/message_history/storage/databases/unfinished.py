"""What a session has forgotten is in the files of its database until these are rewritten."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from message_history.files.errors import SessionError

if TYPE_CHECKING:
    from message_history.storage.databases.database import Database

logger = logging.getLogger("message_history")
NOTE: Final = ""
"""The name of no session: that it has a turn says that the files of the database are still to be rewritten."""


def finish(database: Database, token: str) -> None:
    """Rewrite the files of a database, as somebody was killed before it was done; the next one tries again."""
    try:
        rewrite_files(database, token)
    except SessionError as error:
        logger.warning("what a session has forgotten may still be in the files: %s", error)


def rewrite_files(database: Database, token: str) -> None:
    database.scrub()
    with database.writing() as rows:
        rows.release(NOTE, token)
