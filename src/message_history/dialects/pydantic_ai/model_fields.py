"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TypeVar

from attrs import frozen

from message_history.dialects.base import Dialect

WireT = TypeVar("WireT")


@frozen(kw_only=True)
class Fields(Dialect[WireT]):
    """The fields of `PydanticAI`, which says what each means."""

    objects: bool = False
    ends_with_response: bool = False
    binds_thinking: bool = True
