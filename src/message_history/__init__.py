"""An immutable message history for LLM agents: no append can break it, no provider can refuse it.

What few programs need is imported when somebody asks for it.
"""

import sys as _sys
import typing as _typing
from importlib import import_module as _import_module

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import Message
from message_history.core.messages.policy import Policy
from message_history.core.messages.repairs import (
    AmbiguousCallError,
    InvariantError,
    Repair,
    RepairCode,
    Severity,
    UnknownCallError,
)
from message_history.core.messages.replies import ReplyInfo, Usage
from message_history.core.turns.rules import CallState
from message_history.dialects.base import Export
from message_history.dialects.inputs import user_messages
from message_history.dialects.sending import SystemPromptWarning
from message_history.history import MessageHistory
from message_history.plugins import READERS as _READERS

if _typing.TYPE_CHECKING:
    from message_history.core.turns.calls import CallRecord, Calls
    from message_history.core.turns.states import CallStateError
    from message_history.dialects.caching import PromptCache
    from message_history.formats.reading import from_file
    from message_history.violations import Violation, check

__all__ = [
    "AmbiguousCallError",
    "CallRecord",
    "CallState",
    "CallStateError",
    "Calls",
    "DocumentBlock",
    "Export",
    "ImageBlock",
    "InvariantError",
    "Message",
    "MessageHistory",
    "Policy",
    "PromptCache",
    "ProviderBlock",
    "RedactedThinkingBlock",
    "Repair",
    "RepairCode",
    "ReplyInfo",
    "Severity",
    "SystemBlock",
    "SystemPromptWarning",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "UnknownCallError",
    "Usage",
    "Violation",
    "check",
    "from_file",
    "user_messages",
]

_PLACES: _typing.Final = {
    "CallRecord": "core.turns.calls",
    "CallStateError": "core.turns.states",
    "Calls": "core.turns.calls",
    "PromptCache": "dialects.caching",
    "Violation": "violations",
    "check": "violations",
    "from_file": "formats.reading",
}


if not _typing.TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(_import_module(f"{__name__}.{_PLACES[name]}"), name)


_READERS.append(lambda value: _import_module(f"{__name__}.formats.values").found_in(value))

if _sys.flags.dev_mode:
    _import_module(f"{__name__}.discarded").watch()


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
