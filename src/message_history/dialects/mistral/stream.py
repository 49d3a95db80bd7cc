"""The stream of Mistral: that of Chat Completions, in which content may come as chunks."""

from message_history.dialects.openai_chat.stream import Stream

__all__ = ["Stream"]
