"""What was done to a request: in short in headers, and in full for those who ask."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import thaw
from message_history.dialects.native.render import block_to_json
from message_history.explaining import explain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history_healing import HealedRequest
    from message_history_proxy.forwarding import Headers

MAX_REPORTS: Final = 500
MAX_BYTES: Final = 64 * 1024 * 1024
"""How much memory the reports may hold; the newest is kept whatever it holds."""
MAX_HEADER: Final = 1_000
MAX_EXPLAINED: Final = 16 * 1024
"""How much of a refusal is explained: some servers quote the whole request after the error."""


@final
class Reports:
    """The repairs of the newest requests, in memory, for whoever asks for them.

    They are kept as text: a request would hold the conversation with it.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[dict[str, Any], bytes]] = OrderedDict()
        self._bytes = 0

    def keep(self, number: str, request: HealedRequest[bytes]) -> None:
        report = {
            "request": number,
            "dialect": request.dialect.name,
            "repairs": [_in_full(repair) for repair in request.repairs],
            "new": [_in_full(repair) for repair in request.new_repairs],
            "violations": [str(violation) for violation in request.violations],
            "still_refused": [str(violation) for violation in request.unhealed],
        }
        short = {
            "request": number,
            "dialect": request.dialect.name,
            "repairs": codes_of(request.repairs),
            "new": codes_of(request.new_repairs),
            "still_refused": len(request.unhealed),
        }
        text = json_bytes(report)
        self._kept[number] = (short, text)
        self._bytes += len(text)
        while len(self._kept) > MAX_REPORTS or (self._bytes > MAX_BYTES and len(self._kept) > 1):
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= len(gone)

    def report(self, number: str) -> bytes | None:
        """Return what was done to a request, as JSON; None when it is not kept any more."""
        kept = self._kept.get(number)
        return kept[1] if kept is not None else None

    def newest(self) -> list[dict[str, Any]]:
        return [short for short, _ in reversed(self._kept.values())]


def codes_of(repairs: Iterable[Repair]) -> str:
    """Say in short which repairs there are, as in `blank_text_dropped=1, result_stubbed=2`."""
    codes = Counter(repair.code.value for repair in repairs)
    return ", ".join(f"{code}={count}" for code, count in sorted(codes.items()))


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
    """Say how many repairs, kept under `number`, a request needed, and which; nothing when it was sent unchanged."""
    if not request.is_healed:
        return []
    return [
        (b"message-history-request", number.encode()),
        (b"message-history-repair-count", str(len(request.repairs)).encode()),
        (b"message-history-repairs", codes_of(request.repairs).encode()),
    ]


def explanation_headers(text: str, dialect: Dialect[Any]) -> Headers:
    """Say which rule a refusal is about, what it demands and what the library does; nothing when none is known."""
    found = explain(text[:MAX_EXPLAINED], dialect)
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
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
