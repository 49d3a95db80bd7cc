"""Every block, item and part that the providers' SDKs have a type for goes through its own dialect unchanged."""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import pytest
from attrs import evolve

from message_history import MessageHistory, check
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Gemini,
    GeminiInteractions,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
)
from message_history.formats.reading import session_in
from tests.oracles import typed_lists as of
from tests.oracles.instances import walk, with_media

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.dialects.base import Dialect

EXCEPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "anthropic/tool_result AN-C12": "AN-C12: an error result without content was refused.",
        "gemini( 3)?/functionCall .*(GM-G25|partialArgs)": "GM-G25: the SDK itself refuses it for the Developer API.",
        "gemini 3/(fileData|inlineData) .*displayName": "GM-G22: the SDK itself refuses it for the Developer API.",
        "gemini/functionResponse .*(functionResponse.parts|response.output)": "GM-G24: refused before Gemini 3.",
        "bedrock/document .*source.(text|content.text)": "BR-B28: bytes are demanded (maximhq/bifrost#7072).",
        "bedrock/toolResult .*content.(document|video|searchResult)": "BR-B16: Nova 2 refused them in a result.",
        "openai_chat/(assistant|function) function_call": "OC-17: newer models refuse it (TheR1D/shell_gpt#717).",
        "openai_responses/reasoning .*(content|status|OR-17)": "OR-17: OpenAI's reasoning holds no status.",
    }
)
"""What does not pass, by a pattern for its name and keys, and the refusal on record."""


CASES: Final[Mapping[str, tuple[Dialect[Any], Any]]] = {
    "anthropic": (Anthropic(), of.of_anthropic),
    "bedrock": (Bedrock(), of.of_bedrock),
    "cohere": (OpenAIChat.for_model("command-a-03-2025", "cohere"), of.of_cohere),
    "gemini": (Gemini(), of.of_gemini),
    "gemini 3": (Gemini.for_model("gemini-3-pro-preview"), of.of_gemini),
    "gemini_interactions": (GeminiInteractions(), of.of_interactions),
    "mistral": (Mistral(), of.of_mistral),
    "openai_chat": (OpenAIChat(), of.of_chat),
    "openai_responses": (evolve(OpenAIResponses.for_model("gpt-5.5", "openai"), store=True), of.of_responses),
}


def plain(value: Any) -> Any:
    """Write in one way what may be written in two: a text as a list of it, null as absent, a message as one."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: plain(item) for key, item in value.items() if item is not None}
    if "role" in found and "id" not in found and found.get("type") == "message":
        del found["type"]
    for key in ("content", "output"):
        if isinstance(found.get(key), str):
            found[key] = [{"type": "text", "text": found[key]}]
    if found.get("type") == "input_text":
        found["type"] = "text"
    return found


def fails(dialect: Dialect[Any], wire: list[Any]) -> str:
    """Say what becomes of a list that is not what it was; an empty text when it is."""
    found = [each.rule for each in check(wire, dialect)]
    sent = list(walk(plain(MessageHistory.from_list(wire, dialect=dialect).for_send(dialect))))
    gone = [place for place, leaf in walk(plain(wire)) if (place, leaf) not in sent]
    return " ".join(dict.fromkeys([*found, *gone]))


@pytest.mark.parametrize("name", CASES)
def test_each_instance_of_each_type_passes_unchanged(name: str) -> None:
    dialect, cases = CASES[name]
    failed, needed, count = set(), set(), 0
    for tag, instance in cases():
        count += 1
        why = fails(dialect, with_media(instance))
        exceptions = {pattern for pattern in EXCEPTIONS if why and re.search(pattern, f"{name}/{tag} {why}")}
        needed |= exceptions
        if why and not exceptions:
            failed.add(f"{name}/{tag} {why}")
    assert count > 18
    assert sorted(failed) == []
    assert needed == {pattern for pattern in EXCEPTIONS if re.fullmatch(pattern.partition("/")[0], name)}


def test_there_are_few_exceptions() -> None:
    assert len(EXCEPTIONS) <= 20
    assert all(re.match("[A-Z]{2}-[A-Z]?[0-9]+", why) for why in EXCEPTIONS.values())


def test_each_instance_of_each_entry_of_mistrals_conversations_is_read_and_stays() -> None:
    for _, entries in of.of_conversations():
        session = session_in(json.dumps(entries).encode())
        assert session.violations() == []
        assert session.repair_file().data == json.dumps(entries).encode()
        saved = json.dumps([conversation.history().to_list() for conversation in session.conversations])
        assert [leaf for key, leaf in walk(entries) if key in SHOWN and str(leaf) not in saved] == []


SHOWN: Final = {"content", "content.text", "name", "result", "tool_call_id", "arguments.a"}
"""The keys of Mistral's entries that hold what was said."""
