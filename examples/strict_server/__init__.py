"""A server on this machine that is as strict as the providers: for the examples, and for testing loops of your own.

It answers like the APIs of Anthropic, OpenAI (both), Google, Mistral and Amazon Bedrock, with and without streaming,
and refuses what they refuse, in their words. `python -m examples.strict_server COMMAND...` runs a command against it.
"""

from __future__ import annotations

from .model import Heard, Moody, Said, weather
from .server import StrictServer

__all__ = ["Heard", "Moody", "Said", "StrictServer", "weather"]
