"""What is told of sessions comes in records whose fields are named."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import CallState
from message_history.storage import Found, LoadReport, SessionInfo, WaitingCall
from message_history.storage.receipts import Receipt

RECORDS: list[tuple[Any, dict[str, Any]]] = [
    (SessionInfo, {"session": "a"}),
    (Found, {"session": "a", "position": 1, "text": "t", "cursor": "c"}),
    (LoadReport, {"messages": 3}),
    (WaitingCall, {"session": "a", "key": "k", "call_id": "1", "name": "pay", "state": CallState.WAITING}),
    (Receipt, {"session": "a"}),
]


@pytest.mark.parametrize(("kind", "fields"), RECORDS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_record_is_made_by_names_alone(kind: Any, fields: dict[str, Any]) -> None:
    made = kind(**fields)
    assert {name: getattr(made, name) for name in fields} == fields
    with pytest.raises(TypeError, match="positional"):
        kind(*fields.values())
