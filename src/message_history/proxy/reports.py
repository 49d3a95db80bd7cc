"""What was done to a request: in short in headers, and in full for those who ask."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.json_values import thaw
from message_history.dialects.native.render import block_to_json
from message_history.explaining import explain

if TYPE_CHECKING:
    from message_history.core.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.healing import HealedRequest
    from message_history.proxy.forwarding import Headers

__all__ = ["Reports", "explanation_headers", "repair_headers"]

MAX_REPORTS: Final = 500
MAX_HEADER: Final = 1_000


@final
class Reports:
    """The repairs of the newest requests, in memory, for whoever asks for one by its number."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, HealedRequest[bytes]] = OrderedDict()

    def keep(self, number: str, request: HealedRequest[bytes]) -> None:
        """Keep what was done to a request."""
        self._kept[number] = request
        while len(self._kept) > MAX_REPORTS:
            self._kept.popitem(last=False)

    def report(self, number: str) -> dict[str, Any] | None:
        """Return what was done to a request; None when it is not kept any more."""
        request = self._kept.get(number)
        if request is None:
            return None
        return {
            "request": number,
            "dialect": request.dialect.name,
            "repairs": [_in_full(repair) for repair in request.repairs],
            "new": [_in_full(repair) for repair in request.new_repairs],
            "violations": [str(violation) for violation in request.violations],
            "still_refused": [str(violation) for violation in request.unhealed],
        }


def _in_full(repair: Repair) -> dict[str, Any]:
    return {
        "code": repair.code.value,
        "severity": repair.severity.value,
        "message": repair.index,
        "entry": repair.source,
        "detail": repair.detail,
        "removed": [_plain(value) for value in repair.removed],
        "added": [block_to_json(block) for block in repair.added],
    }


def _plain(value: Any) -> Any:
    return block_to_json(value) if hasattr(value, "meta") else thaw(value)


def repair_headers(number: str, request: HealedRequest[bytes]) -> Headers:
    """Say in headers how many repairs a request needed, and of which codes.

    Args:
        number: the number under which they are kept.
        request: the request.

    Returns:
        The headers; none when the request went out as it came.
    """
    if not request.is_healed:
        return []
    codes = Counter(repair.code.value for repair in request.repairs)
    listed = ", ".join(f"{code}={count}" for code, count in sorted(codes.items()))
    return [
        (b"message-history-request", number.encode()),
        (b"message-history-repair-count", str(len(request.repairs)).encode()),
        (b"message-history-repairs", listed.encode()),
    ]


def explanation_headers(text: str, dialect: Dialect[Any]) -> Headers:
    """Say in headers which rule a refusal is about.

    Args:
        text: the body of the refusal.
        dialect: the dialect of the request.

    Returns:
        The rule's id, what it demands and what the library does about it; none when no rule is known for it.
    """
    found = explain(text, dialect)
    if not found:
        return []
    rule = found[0].rule
    return [
        (b"message-history-rule", rule.id.encode()),
        (b"message-history-explanation", _as_header(f"{rule.rule} {rule.repair}")),
    ]


def _as_header(text: str) -> bytes:
    return " ".join(text.split()).encode("ascii", "replace")[:MAX_HEADER]


def json_bytes(value: Any) -> bytes:
    """Write JSON, with text for what is none."""
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
