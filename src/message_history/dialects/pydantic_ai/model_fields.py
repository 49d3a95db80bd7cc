"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TypeVar

from attrs import frozen

from message_history.dialects._shared.by_folder import ByFolder

WireT = TypeVar("WireT")


@frozen(kw_only=True)
class Fields(ByFolder[WireT]):
    """The fields of `PydanticAI`, which says what each means."""

    objects: bool = False
    ends_with_response: bool = True
    binds_thinking: bool = True
