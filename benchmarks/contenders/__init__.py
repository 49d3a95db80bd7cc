"""The contenders: what each is called, where it is, and what must be installed for it.

Each is loaded in a process of its own, so that none makes another slower, and one that is not installed is skipped.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from benchmarks.contenders.base import Contender

__all__ = ["CONTENDERS", "DIALECTS", "Entry", "load", "version_of"]


class Entry(NamedTuple):
    """Where a contender is.

    Args:
        place: its module and class.
        package: the package that must be installed; empty for what Python has.
        note: how its natural fast path is.
    """

    place: str
    package: str = ""
    note: str = ""


DIALECTS: Final = ("OpenAIChat", "OpenAIResponses", "Gemini", "Mistral", "Bedrock", "PydanticAI", "Portable")
CONTENDERS: Final = {
    "message-history": Entry("ours:Ours", "message-history"),
    **{f"message-history to {name}": Entry(f"ours:To{name}", "message-history") for name in DIALECTS},
    "list": Entry("plain:PlainList", note="a plain list of dicts, as most agents keep it: nothing is checked"),
    "copy.deepcopy": Entry("plain:DeepCopy"),
    "json": Entry("plain:Json", note="`json.loads` and `json.dumps`: nothing is checked"),
    "turnsafe": Entry("dict_repairs:Turnsafe", "turnsafe", "`repair` before each request, as it says"),
    "tool-call-repair": Entry(
        "dict_repairs:ToolCallRepair",
        "tool-call-repair",
        "`repair` with `strategy='synthesize'`, which it recommends within a conversation",
    ),
    "langgraph": Entry("langchain:LangGraph", "langgraph", "`add_messages` on ready messages with ids"),
    "langchain-core": Entry(
        "langchain:LangChain",
        "langchain-core",
        "`convert_to_messages`, `merge_message_runs`, `trim_messages`, `convert_to_openai_messages`; "
        "`repair` starts from ready objects, and only joins neighbours",
    ),
    "pydantic-ai": Entry(
        "pydantic_agents:PydanticAgents",
        "pydantic-ai-slim",
        "`ModelMessagesTypeAdapter` in, `repair_messages` on ready objects, the mapping of its `AnthropicModel` out; "
        "the second export repairs first, as its agent does",
    ),
    "litellm": Entry(
        "litellm_mapping:LiteLLM",
        "litellm",
        "`anthropic_messages_pt`; with `modify_params`, which repairs, for damaged lists",
    ),
    "openai-agents": Entry(
        "agents_session:AgentsSession",
        "openai-agents",
        "`SQLiteSession` in memory; `repair` is what its runner does to a resumed list: it drops calls without output",
    ),
    "mistral-common": Entry(
        "mistral_validator:MistralValidator",
        "mistral-common",
        "reads and validates, and refuses what it does not accept; it repairs nothing",
    ),
}


def load(name: str) -> type[Contender]:
    """Load a contender.

    Args:
        name: its name.

    Returns:
        Its class.

    Raises:
        ImportError: when what it needs is not installed.
    """
    module, _, attribute = CONTENDERS[name].place.partition(":")
    found: type[Contender] = getattr(import_module(f"{__name__}.{module}"), attribute)
    return found


def version_of(name: str) -> str:
    """Tell the version of a contender's package; empty for what Python has."""
    package = CONTENDERS[name].package
    return version(package) if package else ""
