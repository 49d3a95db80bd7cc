"""What becomes of streams next to known ones: cut, with an event lost, twice or late, or with one value changed.

`tests/neighbours.py` writes it down, one line for each stream: which one it is, what was changed, whether the reply is
finished, the repairs, and a digest of the response, of what was said of it, and of the history.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from message_history import MessageHistory
from message_history.streaming import Accumulator
from tests.changed_lists import Changes
from tests.replies.odd_streams import ODD_STREAMS
from tests.replies.streams import STREAMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.dialects import Dialect

SENT: Final = MessageHistory().add_user("q")


def stream_lines() -> Iterator[str]:
    """Say what becomes of each stream."""
    known = [*ODD_STREAMS, *((each.name, each.dialect, each.events) for each in STREAMS)]
    changes = Changes()
    for of, dialect, events in known:
        yield _line(of, "", dialect, events)
        for n in range(1, len(events)):
            yield _line(of, f"ends before {n}", dialect, events[:n])
            yield _line(of, f"{n} comes first", dialect, [events[n], *events[:n], *events[n + 1 :]])
        yield from (_line(of, change, dialect, changed) for change, changed in changes.made_to(events, dialect.name))


def _line(of: str, change: str, dialect: Dialect[Any], events: list[Any]) -> str:
    reply = Accumulator(dialect, SENT)
    for event in events:
        reply.feed(event)
    history = reply.history_so_far
    replies = [message.replies for message in history]
    forms = json.dumps([reply.response, history.to_list()], default=repr) + repr(replies)
    repairs = "; ".join(f"{each.code}@{each.index} {each.detail}" for each in history.repairs)
    words = [of, change, "finished" if reply.finished else "", repairs, sha256(forms.encode()).hexdigest()[:8]]
    return "\t".join(words).encode(errors="backslashreplace").decode()
