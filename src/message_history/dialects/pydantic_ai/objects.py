"""The package's own objects: the only place that imports it.

`plain` reads messages, parts and values of the package, and what lies around in dumps of Python objects, as the JSON
that they are saved as. `model_messages` makes the objects that `agent.run(message_history=...)` takes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.sdk_objects import as_mapping

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

UNKNOWN_TIME: Final = "1970-01-01T00:00:00Z"
"""The time of a part that came without one: objects must have a time, and nothing here asks the clock."""
MAX_DEPTH: Final = 100

_TIMED: Final = frozenset(
    {"system-prompt", "user-prompt", "tool-return", "retry-prompt", "retry-feedback", "builtin-tool-return"}
)


def model_messages(wire: list[dict[str, Any]]) -> list[ModelMessage]:
    """Make the package's objects. Raises `ModuleNotFoundError` without the package."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter  # noqa: PLC0415

    for message in wire:
        if message["kind"] == "response":
            message.setdefault("timestamp", UNKNOWN_TIME)
        for part in message["parts"]:
            if part["part_kind"] in _TIMED:
                part.setdefault("timestamp", UNKNOWN_TIME)
    made: list[ModelMessage] = ModelMessagesTypeAdapter.validate_json(json.dumps(wire))
    return made


def plain(value: object) -> Any:
    """Read a value, and the package's objects, times and bytes in it, as the JSON that the package saves it as."""
    return _Plain().any(value, 0)


@final
class _Plain:
    """One pass over one value."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        # The containers are held as well: an id is free again once its owner is gone.
        self._done: dict[int, tuple[object, Any]] = {}

    def any(self, value: object, depth: int) -> Any:
        if isinstance(value, Enum):
            return self.any(value.value, depth)
        if value is None or isinstance(value, str | bool | int | float):
            return value
        if isinstance(value, Mapping | list | tuple):
            return self._container(value, depth)
        if isinstance(value, bytes | bytearray):
            return base64.b64encode(value).decode()
        if isinstance(value, date):
            return _time(value)
        if isinstance(value, timedelta):
            return value.total_seconds()
        if isinstance(value, Decimal):
            return str(value)
        return self._object(value, depth)

    def _container(self, value: Any, depth: int) -> Any:
        identity = id(value)
        if identity in self._done:
            return self._done[identity][1]
        if identity in self._open or depth >= MAX_DEPTH:
            return value
        self._open.add(identity)
        made: Any
        if isinstance(value, Mapping):
            made = {key: self.any(item, depth + 1) for key, item in value.items()}
        else:
            made = [self.any(item, depth + 1) for item in value]
        self._open.discard(identity)
        self._done[identity] = value, made
        return made

    def _object(self, value: object, depth: int) -> Any:
        if type(value).__module__.partition(".")[0] == "pydantic_ai":
            dumped = _dumped(value)
            if dumped is not None:
                return dumped
        found = as_mapping(value)
        return value if found is None or depth >= MAX_DEPTH else self._container(dict(found), depth)


def _dumped(value: Any) -> Any:
    """Let the package write its own object; None when it cannot."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest, ModelResponse  # noqa: PLC0415
    from pydantic_core import to_jsonable_python  # noqa: PLC0415

    try:
        if isinstance(value, ModelRequest | ModelResponse):
            return ModelMessagesTypeAdapter.dump_python([value], mode="json", warnings=False)[0]
        return to_jsonable_python(value, bytes_mode="base64", serialize_unknown=True)
    except (ValueError, TypeError):
        return None


def _time(value: date) -> str:
    text = value.isoformat()
    return f"{text[:-6]}Z" if isinstance(value, datetime) and text.endswith("+00:00") else text
