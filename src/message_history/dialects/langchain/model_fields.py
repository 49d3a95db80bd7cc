"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from message_history.dialects._shared.by_folder import ByFolder

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage  # noqa: F401


@frozen(kw_only=True)
class Fields(ByFolder["BaseMessage"]):
    """The fields of `LangChain`, which says what each means."""

    ends_with_ai: bool = False
    late_system: bool = False
    binds_thinking: bool = True
