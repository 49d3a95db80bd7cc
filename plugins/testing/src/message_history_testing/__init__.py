"""A server on this machine that is as strict as the providers, for testing agents without a key.

It answers like the APIs of Anthropic, OpenAI (both), Google, Mistral and Amazon Bedrock, with and without streaming,
and refuses what they refuse, with their texts. `python -m message_history_testing COMMAND...` runs a command against
it; `message_history_testing.pytest_plugin` has it as a pytest fixture.
"""

from __future__ import annotations

from message_history_testing.model import ModelReply, ModelRequest, Moody, use_tools, weather
from message_history_testing.server import StrictServer

__all__ = ["ModelReply", "ModelRequest", "Moody", "StrictServer", "use_tools", "weather"]
