"""The stream of an endpoint of this form: that of Chat Completions."""

from message_history.dialects.openai_chat.stream import Stream

__all__ = ["Stream"]
