"""What is reported to somebody who asked that something be forgotten."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from message_history.core.messages.repairs import RepairCode
from message_history.forgetting.saved_form import ELSEWHERE, forget_what_processes_keep

if TYPE_CHECKING:
    from message_history.history import MessageHistory

OUTSIDE: Final = (
    "values that programs still hold, and what a client sends again",
    "exports, logs, prompt caches and stored replies of providers",
    "other sessions, forks of this one among them, and stores of proxies",
)
OF_FILES: Final = (
    "other names and copies of the file, and backups of its disk",
    "blocks of the disk that were freed and not yet written over",
)


@final
@frozen(kw_only=True)
class Receipt:
    """What was done for somebody who asked that something be forgotten.

    Args:
        session: the session's name, or the path of its file.
        changed: the positions of the messages that were changed.
        places: how many places of the history were changed, in all.
        looked_through: what was looked through, and rewritten.
        deleted: what was deleted: backups, files that a crash had left, and how many older rows.
        outside: what may still say it, and is for you to look through.
    """

    session: str
    changed: tuple[int, ...] = ()
    places: int = 0
    looked_through: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    outside: tuple[str, ...] = OUTSIDE


def receipt_of(name: str, before: MessageHistory, left: MessageHistory) -> Receipt:
    """Return what repairs say of what was forgotten."""
    forget_what_processes_keep()
    later = left.repairs[len(before.repairs) :]
    new = [repair for repair in later if repair.code is RepairCode.CONTENT_FORGOTTEN]
    return Receipt(
        session=name,
        changed=tuple(sorted({repair.index for repair in new if ELSEWHERE not in repair.detail})),
        places=sum(int(found[1].replace(",", "")) if (found := _COUNT.search(repair.detail)) else 1 for repair in new),
    )


_COUNT: Final = re.compile(": ([0-9,]+)$")
