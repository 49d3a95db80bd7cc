"""litellm's mapping of a chat list to the Messages API."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from benchmarks.broken_histories import as_chat
from benchmarks.contenders.base import Case, Contender

# Its prices come with it; without this it asks the network for newer ones when it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from litellm.litellm_core_utils.prompt_templates.factory import anthropic_messages_pt

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = ["LiteLLM"]

logging.getLogger("LiteLLM").setLevel(logging.ERROR)
MODEL = "claude-sonnet-4-5"


def mapped(chat: list[Any], *, repair_file: bool) -> list[Any]:
    """Map a chat list."""
    litellm.modify_params = repair_file
    wire: list[Any] = anthropic_messages_pt(chat, MODEL, "anthropic")
    return wire


class LiteLLM(Contender):
    """litellm."""

    def repair(self) -> Case:
        chat = as_chat(self.damaged)
        return Case(lambda: mapped(chat, repair_file=True))

    def export(self) -> Case:
        chat = as_chat(self.raw)
        return Case(lambda: mapped(chat, repair_file=False))

    def export_again(self) -> Case:
        chat, turn = as_chat(self.raw), as_chat(self.turn)
        return Case(lambda: mapped([*chat, *turn], repair_file=False))

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        return mapped(as_chat(raw), repair_file=True)
