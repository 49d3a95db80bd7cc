"""What opencode's server tells its clients: events with each new form of messages and of their parts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, final

from message_history.formats.kit import BLOCKS, NOTHING_JUDGED, PRINTED, Conversations, Format, item_fit
from message_history.formats.opencode import add_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_MESSAGE: Final = "message.updated"
_PART: Final = "message.part.updated"
_SESSIONS: Final = ("session.created", "session.updated")


def _event(item: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return the type of an event and what it is about; events of all projects are in an envelope."""
    inner = item.get("payload", item) if isinstance(item, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("type"), str) or "properties" not in inner:
        return None
    about = inner["properties"]
    return inner["type"], about if isinstance(about, dict) else {}


def _is_marked(item: Mapping[str, Any]) -> bool:
    kind, about = _event(item) or ("", {})
    info, part = about.get("info"), about.get("part")
    is_message = kind == _MESSAGE and isinstance(info, dict) and "role" in info
    return is_message or (kind == _PART and isinstance(part, dict) and "messageID" in part)


@final
class _Events:
    """What the events have made of messages and parts so far."""

    def __init__(self) -> None:
        self.messages: dict[str, dict[str, Any]] = {}
        self.parts: dict[str, dict[str, tuple[int, dict[str, Any]]]] = {}
        """For each message its parts, each with the number of the event that made it what it is."""
        self.titles: dict[str, object] = {}
        self.others: Counter[str] = Counter()

    def take(self, n: int, kind: str, about: Mapping[str, Any]) -> None:
        info, part = about.get("info"), about.get("part")
        if kind == _MESSAGE and isinstance(info, dict):
            self.messages[str(info.get("id"))] = info
        elif kind == _PART and isinstance(part, dict):
            self.parts.setdefault(str(part.get("messageID")), {})[str(part.get("id"))] = n, part
        elif kind == "message.part.delta":
            self._add_delta(n, about)
        elif kind == "message.removed":
            self.messages.pop(str(about.get("messageID")), None)
            self.parts.pop(str(about.get("messageID")), None)
        elif kind == "message.part.removed":
            self.parts.get(str(about.get("messageID")), {}).pop(str(about.get("partID")), None)
        elif kind in _SESSIONS and isinstance(info, dict):
            self.titles[str(info.get("id"))] = info.get("title")
        else:
            self.others[f"{kind} events"] += 1

    def _add_delta(self, n: int, about: Mapping[str, Any]) -> None:
        id, key = str(about.get("partID")), str(about.get("field"))
        parts = self.parts.setdefault(str(about.get("messageID")), {})
        _, part = parts.get(id, (n, {"type": "text"}))
        parts[id] = n, {**part, key: f"{part.get(key) or ''}{about.get('delta') or ''}"}

    def sessions(self) -> dict[str, list[dict[str, Any]]]:
        """Return the messages of each session, oldest first."""
        found: dict[str, list[dict[str, Any]]] = {}
        for info in self.messages.values():
            found.setdefault(str(info.get("sessionID")), []).append(info)
        return {id: sorted(messages, key=_created) for id, messages in found.items()}


def _created(info: Mapping[str, Any]) -> float:
    when = (info.get("time") or {}).get("created")
    return float(when) if isinstance(when, int | float) else 0.0


def _read(document: Document) -> Reading:
    events, found = _Events(), Conversations()
    others = found.collector()
    for n, item in document.numbered_items:
        event = _event(item)
        if event is None:
            others.note(n, "an entry that is not an event", item)
        else:
            events.take(n, *event)
    for n, part in (each for id, parts in events.parts.items() if id not in events.messages for each in parts.values()):
        others.note(n, "a part of a message that is not there", part)
    for id, messages in events.sessions().items():
        collector = found.collector() if found else others
        for info in messages:
            for n, part in events.parts.get(str(info.get("id")), {}).values():
                add_part(collector, n, info["role"], part)
            if info.get("error"):
                collector.omit("errors of replies")
        for kind, times in events.others.items() if collector is others else ():
            collector.omit(kind, times)
        label = f"session {id}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, id=id, title=events.titles.get(id)))
    return found.reading(others)


OPENCODE_EVENTS: Final = Format(
    name="opencode-events",
    rank=390,
    title="opencode: events of its server",
    files="what a client of `opencode serve` gets from /event, recorded as a JSON list or in lines",
    omits="events that are of no message",
    unwritten=PRINTED,
    source="anomalyco/opencode: packages/opencode/src/session/message-v2.ts; recordings of opencode.nvim's tests",
    checked="2026-11-22",
    fit=item_fit(lambda item: _event(item) is not None, _is_marked),
    read=_read,
    judged=NOTHING_JUDGED,
)
