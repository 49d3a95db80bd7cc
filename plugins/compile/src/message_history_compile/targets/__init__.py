"""All targets by name: one small file for each taker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history_compile.targets.atif import ATIF
from message_history_compile.targets.bedrock import ANTHROPIC, BEDROCK, BEDROCK_CLAUDE
from message_history_compile.targets.chat_template import CHAT_TEMPLATE
from message_history_compile.targets.inspect import INSPECT
from message_history_compile.targets.openai import OPENAI
from message_history_compile.targets.parquet import PARQUET
from message_history_compile.targets.sharegpt import AXOLOTL, LLAMA_FACTORY
from message_history_compile.targets.trl import TRL

if TYPE_CHECKING:
    from message_history_compile.targets.base import Target

__all__ = ["TARGETS"]

TARGETS: Final[dict[str, Target]] = {
    each.name: each
    for each in (
        *(OPENAI, BEDROCK, BEDROCK_CLAUDE, ANTHROPIC, TRL, CHAT_TEMPLATE, LLAMA_FACTORY, AXOLOTL),
        *(ATIF, INSPECT, PARQUET),
    )
}
"""The targets by name."""
