"""An immutable message history for LLM agents: no append can break it, no provider can refuse it."""

from message_history.core.blocks import (
    DocumentBlock,
    ImageBlock,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.calls import CallRecord, Calls
from message_history.core.message import Message
from message_history.core.policy import Policy
from message_history.core.repairs import InvariantError, Repair, RepairCode, Severity, UnknownCallError
from message_history.core.replies import ReplyInfo, Usage
from message_history.core.rules import CallState
from message_history.core.states import CallStateError
from message_history.dialects.base import Export
from message_history.dialects.caching import PromptCache
from message_history.dialects.inputs import user_messages
from message_history.dialects.sending import SystemPromptWarning
from message_history.history import MessageHistory
from message_history.loading import from_file
from message_history.violations import Violation, check

__all__ = [
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
