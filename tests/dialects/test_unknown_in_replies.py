"""What of a reply no rule knows is not wrong: it goes back where it came from, and nowhere else."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, check
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Dialect,
    Gemini,
    GeminiInteractions,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    Portable,
)

ASK: dict[str, Any] = {"role": "user", "content": "q"}
CALL = {"id": "c1", "type": "function", "aura": "blue", "function": {"name": "f", "arguments": "{}", "mood": "calm"}}
CUSTOM = {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "i", "glow": 1}}
CALLING: dict[str, Any] = {"role": "assistant", "content": None, "scent": {"a": [1]}, "tool_calls": [CALL, CUSTOM]}
PARTS = [{"type": "text", "text": "hi", "tint": 3}, {"type": "hologram", "hologram": {"x": 1}}]
SAID: dict[str, Any] = {"role": "assistant", "content": PARTS, "warmth": "high"}
RESULTS = [{"role": "tool", "tool_call_id": id, "content": "r"} for id in ("c1", "c2")]
LIST = [ASK, CALLING, *RESULTS, SAID, ASK]
NEW = ("aura", "mood", "glow", "scent", "hologram", "tint", "warmth")
GOES_BACK = {*NEW} - {"tint"}  # Where content is not a list of parts, a text has no keys.
LENIENT = OpenAIChat.for_provider("cohere")
OTHERS: list[Dialect[Any]] = [
    *(Anthropic(), Bedrock(), Gemini(), GeminiInteractions(), Mistral(), OpenAIResponses(), Portable()),
    *(OpenAIChat.for_provider(name) for name in ("openai", "groq", "cerebras", "mistral", "xai")),
]


def reply(message: dict[str, Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}


def replied(dialect: OpenAIChat | None = None) -> MessageHistory:
    history = MessageHistory().add_user("q").add_response(reply(CALLING), dialect=dialect)
    for call in history.awaiting:
        history = history.add_tool_result(call, "r")
    return history.add_response(reply(SAID), dialect=dialect).add_user("q")


def sent(history: MessageHistory, dialect: Dialect[Any]) -> str:
    return json.dumps(history.for_send(dialect), default=repr)


def sends(history: MessageHistory, dialect: Dialect[Any]) -> set[str]:
    wire = sent(history, dialect)
    return {key for key in NEW if f'"{key}"' in wire}


def test_what_no_rule_knows_goes_back_as_it_came() -> None:
    for history in (replied(), MessageHistory.from_list(LIST, dialect=OpenAIChat())):
        assert history.for_send(OpenAIChat()) == LIST
        assert history.repairs == history.export(OpenAIChat()).repairs == ()
        assert json.loads(history.for_send_json(OpenAIChat())) == LIST


@pytest.mark.parametrize("named", [None, LENIENT])
def test_it_is_saved(named: OpenAIChat | None) -> None:
    history = replied(named)
    target = named or OpenAIChat()
    for again in (
        MessageHistory.from_list(json.loads(json.dumps(history.to_list()))),
        pickle.loads(pickle.dumps(history)),
    ):
        assert again == history
        assert again.for_send(target) == history.for_send(target)


def test_it_goes_to_the_host_that_it_came_from_and_to_no_other() -> None:
    took_all = OpenAIChat.for_provider("cohere")
    assert sends(replied(LENIENT), took_all) == GOES_BACK
    assert sends(replied(LENIENT), OpenAIChat.for_provider("xai")) == set()
    assert sends(replied(LENIENT), OpenAIChat()) == {"aura"}  # OpenAI was seen to take any key of a call.
    # Who named no host at the reply sends to the one that replied.
    assert sends(replied(), took_all) == GOES_BACK


@pytest.mark.parametrize("other", OTHERS, ids=[f"{type(each).__name__}-{n}" for n, each in enumerate(OTHERS)])
def test_no_other_api_gets_it_and_none_that_is_on_record_as_refusing_it(other: Dialect[Any]) -> None:
    history = replied(LENIENT)
    assert sends(history, other) <= {"aura"}
    removed = repr([repair.removed for repair in history.export(other).repairs])
    assert all(key in removed for key in {*NEW} - sends(history, other))
    assert check(history.for_send(other), other) == []
    if not isinstance(other, OpenAIChat) or other.provider != "xai":
        assert sends(replied(), other) <= {"aura"}


def test_a_host_whose_content_is_text_gets_no_part() -> None:
    dialect = OpenAIChat(provider="ollama", native=True, parts=False)
    assert "hologram" not in sends(replied(), dialect)
    assert check(replied().for_send(dialect), dialect) == []


def test_a_key_of_a_refusal_has_no_place_and_is_recorded() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "refusal", "refusal": "no", "another": 1}]
    said = {"role": "assistant", "content": parts}
    export = MessageHistory.from_list([ASK, said], dialect=OpenAIChat()).export(OpenAIChat())
    assert "another" not in json.dumps(export.messages)
    assert "another" in repr([repair.removed for repair in export.repairs])


def test_levels_differ() -> None:
    assert sends(replied(), OpenAIChat.for_model("deepseek-chat")) == {*NEW} - {"hologram", "tint"}
    assert sends(replied(), OpenAIChat.for_provider("glm")) == {"hologram"}


def test_a_list_whose_dialect_was_guessed_sends_none_of_it() -> None:
    history = MessageHistory.from_list(LIST)
    assert sends(history, OpenAIChat()) == {"aura"}
    assert {repair.code for repair in history.export(OpenAIChat()).repairs} == {RepairCode.WITHHELD}
    added = MessageHistory().extend(LIST)
    assert sends(added, OpenAIChat()) == {"aura"}


@pytest.mark.parametrize(
    "key",
    ["id", "created_at", "createdAt", "timestamp", "metadata", "session_id", "parentId", "status", "usage", "model"],
)
def test_the_keys_of_applications_never_go_back(key: str) -> None:
    message = {**SAID, key: "x9y8z7"}
    for history in (
        MessageHistory.from_list([ASK, message, ASK], dialect=OpenAIChat()),
        MessageHistory().add_user("q").add_response(reply(message)).add_user("q"),
    ):
        assert "x9y8z7" not in sent(history, OpenAIChat())
        assert '"warmth"' in sent(history, OpenAIChat())
    assert not any(f"'{key}'" in each.detail for each in check([ASK, message], OpenAIChat(), unknown=True))


def test_what_the_user_brings_never_goes_back() -> None:
    for entry in ({**ASK, "warmth": 1}, {"role": "user", "content": [{"type": "text", "text": "q", "tint": 1}]}):
        assert sends(MessageHistory.from_list([entry], dialect=OpenAIChat()), OpenAIChat()) == set()


def test_a_check_calls_it_unknown_and_no_violation() -> None:
    assert check(LIST, OpenAIChat()) == []
    found = check(LIST, OpenAIChat(), unknown=True)
    assert {each.severity for each in found} == {"unknown"}
    assert [(each.index, each.path) for each in found] == [
        (1, "scent"),
        (1, "tool_calls[0].aura"),
        (4, "warmth"),
        (4, "content[0].tint"),
        (4, "content[1]"),
    ]
    newest = max(rule.date for rule in OpenAIChat().rules)
    assert found[0].detail == f"the key 'scent' is not known to the rules of {newest}"
    assert {each.path for each in check(LIST, OpenAIChat.for_model("deepseek-chat"), unknown=True)} >= {"scent"}
    assert check(LIST, Anthropic(), unknown=True) == check(LIST, Anthropic())


def test_messages_that_become_one_lose_no_value() -> None:
    raw = [ASK, {**SAID, "content": "a", "warmth": "low"}, {**SAID, "content": "b"}, ASK]
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    exported = history.export(OpenAIChat())
    assert exported.messages[1]["warmth"] == "low"
    assert repr([repair.removed for repair in exported.repairs]).count("high") == 1


HELD: list[Any] = [
    ASK,
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "a", "annotations": []}, {"type": "hologram", "x": 1}],
    },
    {"role": "user", "content": [{"type": "input_text", "text": "q"}, {"type": "smell", "x": 1}]},
]


@pytest.mark.parametrize("dialect", [OpenAIResponses(), OpenAIResponses.for_model("gpt-4.1")], ids=["unknown", "named"])
def test_a_part_that_responses_do_not_know_does_not_become_an_item(dialect: OpenAIResponses) -> None:
    history = MessageHistory.from_list(HELD, dialect=dialect)
    exported = history.export(dialect)
    assert [item.get("type", "message") for item in exported.messages] == ["message"] * 3
    assert check(exported.messages, dialect) == []
    removed = repr([repair.removed for repair in exported.repairs])
    assert "hologram" in removed
    assert "smell" in removed
