"""What a provider said of a reply stays with it: in the history, in the saved form, in sessions; nobody is sent it."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from message_history import Message, MessageHistory, RepairCode, ReplyInfo, ToolUseBlock, Usage
from message_history.core.messages.message import make_message, with_replies
from message_history.core.messages.replies import COUNTS
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Gemini,
    GeminiInteractions,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    Portable,
    PydanticAI,
)
from message_history.dialects._shared.beside import REPEATED
from message_history.integrations.langchain import LangChain
from message_history.storage import JsonlSession, SqlSession

if TYPE_CHECKING:
    from pathlib import Path

ASKED = MessageHistory().add_user("What is the weather in Paris?")


def claude(text: str = "Sunny.", *, id: str = "msg_1", **usage: int) -> dict[str, Any]:
    """Return a response of the Messages API."""
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 3, **usage},
    }


ANSWER = {"role": "assistant", "content": "Sunny."}
RESPONSES: dict[str, tuple[dict[str, Any], ReplyInfo]] = {
    "anthropic": (
        claude(cache_read_input_tokens=100, cache_creation_input_tokens=20),
        ReplyInfo(
            id="msg_1",
            model="claude-opus-4-6",
            stop_reason="end_turn",
            provider="anthropic",
            usage=Usage(input_tokens=130, output_tokens=3, cache_read_tokens=100, cache_write_tokens=20),
        ),
    ),
    "openai_chat": (
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "gpt-5",
            "choices": [{"index": 0, "finish_reason": "stop", "message": ANSWER}],
            "usage": {
                "prompt_tokens": 130,
                "completion_tokens": 9,
                "total_tokens": 139,
                "prompt_tokens_details": {"cached_tokens": 100},
                "completion_tokens_details": {"reasoning_tokens": 6},
            },
        },
        ReplyInfo(
            id="chatcmpl-1",
            model="gpt-5",
            stop_reason="stop",
            provider="openai_chat",
            usage=Usage(input_tokens=130, output_tokens=9, cache_read_tokens=100, reasoning_tokens=6),
        ),
    ),
    "openai_responses": (
        {
            "id": "resp_1",
            "object": "response",
            "model": "gpt-5",
            "status": "completed",
            "output": [
                {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
            ],
            "usage": {
                "input_tokens": 130,
                "output_tokens": 9,
                "input_tokens_details": {"cached_tokens": 100},
                "output_tokens_details": {"reasoning_tokens": 6},
            },
        },
        ReplyInfo(
            id="resp_1",
            model="gpt-5",
            stop_reason="completed",
            provider="openai_responses",
            usage=Usage(input_tokens=130, output_tokens=9, cache_read_tokens=100, reasoning_tokens=6),
        ),
    ),
    "gemini": (
        {
            "responseId": "g1",
            "modelVersion": "gemini-3-pro",
            "candidates": [{"content": {"role": "model", "parts": [{"text": "Sunny."}]}, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 130,
                "candidatesTokenCount": 3,
                "thoughtsTokenCount": 6,
                "cachedContentTokenCount": 100,
            },
        },
        ReplyInfo(
            id="g1",
            model="gemini-3-pro",
            stop_reason="STOP",
            provider="gemini",
            usage=Usage(input_tokens=130, output_tokens=9, cache_read_tokens=100, reasoning_tokens=6),
        ),
    ),
    "bedrock": (
        {
            "output": {"message": {"role": "assistant", "content": [{"text": "Sunny."}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 10, "outputTokens": 3, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 20},
            "ResponseMetadata": {"RequestId": "r1"},
        },
        ReplyInfo(
            id="r1",
            stop_reason="end_turn",
            provider="bedrock",
            usage=Usage(input_tokens=130, output_tokens=3, cache_read_tokens=100, cache_write_tokens=20),
        ),
    ),
    "gemini_interactions": (
        {
            "object": "interaction",
            "id": "i1",
            "model": "gemini-3-pro",
            "status": "completed",
            "steps": [{"type": "model_output", "content": [{"type": "text", "text": "Sunny."}]}],
            "usage": {"total_input_tokens": 130, "total_output_tokens": 3, "total_cached_tokens": 100},
        },
        ReplyInfo(
            id="i1",
            model="gemini-3-pro",
            stop_reason="completed",
            provider="gemini_interactions",
            usage=Usage(input_tokens=130, output_tokens=3, cache_read_tokens=100),
        ),
    ),
    "pydantic_ai": (
        {
            "kind": "response",
            "parts": [{"part_kind": "text", "content": "Sunny."}],
            "usage": {"input_tokens": 130, "output_tokens": 3, "cache_read_tokens": 100, "details": {}},
            "model_name": "gpt-5",
            "provider_name": "openai",
            "provider_response_id": "p1",
            "finish_reason": "stop",
        },
        ReplyInfo(
            id="p1",
            model="gpt-5",
            stop_reason="stop",
            provider="openai",
            usage=Usage(input_tokens=130, output_tokens=3, cache_read_tokens=100),
        ),
    ),
}
every_response = pytest.mark.parametrize("name", RESPONSES)
DIALECTS = (
    Anthropic(),
    Bedrock(),
    Gemini(),
    GeminiInteractions(),
    Mistral(),
    OpenAIChat(),
    OpenAIResponses(),
    Portable(),
    PydanticAI(),
)


def known(reply: ReplyInfo) -> ReplyInfo:
    """Return what is said of a reply, without the provider's own object."""
    return ReplyInfo(
        id=reply.id, model=reply.model, stop_reason=reply.stop_reason, provider=reply.provider, usage=reply.usage
    )


@every_response
def test_a_response_says_its_id_model_stop_reason_and_usage_in_one_way_for_every_provider(name: str) -> None:
    response, expected = RESPONSES[name]
    (reply,) = ASKED.add_response(response)[-1].replies
    assert known(reply) == expected
    raw = next(response[key] for key in ("usage", "usageMetadata", "usage_metadata") if key in response)
    assert reply.raw_usage == raw


@pytest.mark.parametrize("name", ["openai_responses", "gemini", "gemini_interactions"])
def test_what_a_response_repeats_of_its_request_is_not_kept(name: str) -> None:
    response = RESPONSES[name][0]
    repeated = dict.fromkeys(REPEATED, "of the request")
    assert ASKED.add_response({**repeated, **response}).to_list() == ASKED.add_response(response).to_list()


@every_response
def test_what_a_provider_said_is_saved_and_loaded(name: str, tmp_path: Path) -> None:
    history = ASKED.add_response(RESPONSES[name][0]).add_user("And in Rome?")
    expected = [message.replies for message in history]
    assert any(expected)
    session = JsonlSession(tmp_path / "s.jsonl")
    session.append(history)
    copies = (
        MessageHistory.from_list(history.to_list()),
        pickle.loads(pickle.dumps(history)),
        copy.deepcopy(history),
        session.load(),
    )
    for loaded in copies:
        assert loaded == history
        assert [message.replies for message in loaded] == expected
        assert loaded.usage() == history.usage()
    assert pickle.loads(pickle.dumps(history[1])).replies == history[1].replies


@every_response
def test_no_provider_is_sent_what_a_provider_said(name: str) -> None:
    response, _ = RESPONSES[name]
    history = ASKED.add_response(response).add_user("And in Rome?")
    bare = MessageHistory().extend(Message(message.role, message.content) for message in history)
    assert bare == history
    assert hash(bare) == hash(history)
    assert not bare[1].replies
    for dialect in DIALECTS:
        assert history.for_send(dialect) == bare.for_send(dialect)
        assert history.for_send_json(dialect) == bare.for_send_json(dialect)


@pytest.mark.parametrize("dialect", [Anthropic(), Bedrock(), Gemini(), OpenAIChat()], ids=lambda it: it.name)
def test_what_a_provider_said_is_no_loss_of_an_export_to_itself(dialect: Any) -> None:
    response, _ = RESPONSES[dialect.name]
    assert ASKED.add_response(response).add_user("And in Rome?").export(dialect).repairs == ()


def test_messages_of_langchain_keep_what_a_provider_said() -> None:
    entry = {
        "type": "ai",
        "id": "run-1",
        "content": "Sunny.",
        "response_metadata": {"model_name": "gpt-5", "finish_reason": "stop", "model_provider": "openai"},
        "usage_metadata": {
            "input_tokens": 130,
            "output_tokens": 9,
            "input_token_details": {"cache_read": 100},
            "output_token_details": {"reasoning": 6},
        },
    }
    history = MessageHistory.from_list([{"type": "human", "content": "Hi"}, entry], dialect=LangChain())
    (reply,) = history[-1].replies
    assert known(reply) == ReplyInfo(
        id="run-1",
        model="gpt-5",
        stop_reason="stop",
        provider="openai",
        usage=Usage(input_tokens=130, output_tokens=9, cache_read_tokens=100, reasoning_tokens=6),
    )


def test_a_database_keeps_what_a_provider_said(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    history = ASKED.add_response(claude()).add_user("And in Rome?")
    session = SqlSession(f"sqlite:///{tmp_path}/s.db", "one")
    session.append(history)
    assert [message.replies for message in session.load()] == [message.replies for message in history]


def test_usage_is_the_sum_over_all_replies() -> None:
    history = ASKED
    for turn in range(3):
        history = history.add_response(claude(id=f"msg_{turn}", cache_read_input_tokens=5)).add_user("More.")
    assert history.usage() == Usage(input_tokens=45, output_tokens=9, cache_read_tokens=15)
    assert MessageHistory().usage() == Usage()
    assert Usage(input_tokens=1) + Usage(input_tokens=2, output_tokens=1) == Usage(input_tokens=3, output_tokens=1)


def test_replies_that_are_joined_to_one_message_are_all_counted() -> None:
    history = ASKED.add_response(claude("One.", id="a")).add_response(claude("Two.", id="b"), sent=ASKED)
    assert [reply.id for reply in history[-1].replies] == ["a", "b"]
    assert history.usage().output_tokens == 6
    again = MessageHistory.from_list(history.to_list())
    assert again[-1].replies == history[-1].replies


def test_a_reply_that_was_saved_in_several_lines_counts_once() -> None:
    """Claude Code writes one line for each block, with the usage of the whole reply in each."""
    entries = [
        {"role": "user", "content": "Go."},
        claude("I look.", id="msg_1"),
        {**claude(id="msg_1"), "content": [{"type": "tool_use", "id": "t1", "name": "ls", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]},
        claude("Done.", id="msg_2"),
    ]
    history = MessageHistory.from_list(entries)
    assert [[reply.id for reply in message.replies] for message in history] == [[], ["msg_1"], [], ["msg_2"]]
    assert history.usage().output_tokens == 6


def test_a_server_that_gives_every_reply_one_id_is_counted_in_full() -> None:
    history = ASKED
    for turn in range(3):
        history = history.add_response({**claude(id="0"), "usage": {"input_tokens": turn, "output_tokens": 1}})
        history = history.add_user("More.")
    assert history.usage().output_tokens == 3


def test_a_reply_without_content_leaves_what_was_said_of_it_in_the_repair() -> None:
    history = ASKED.add_response(claude(""))
    assert [repair.code for repair in history.repairs] == [RepairCode.EMPTY_MESSAGE_DROPPED]
    assert any(isinstance(part, Mapping) and part.get("raw_usage") for part in history.repairs[0].removed)
    blank = ASKED.add_response(claude(" "))
    removed = [part for repair in blank.repairs for part in repair.removed]
    assert any(isinstance(part, Mapping) and part.get("raw_usage") for part in removed)


def test_a_reply_without_content_is_counted(tmp_path: Path) -> None:
    history = ASKED.add_response(claude("", input_tokens=5)).add_response(claude(" ", id="msg_2", input_tokens=6))
    history = history.add_response(claude(id="msg_3", input_tokens=7))
    assert history.usage().input_tokens == 18
    session = JsonlSession(tmp_path / "chat.jsonl")
    session.append(history)
    assert JsonlSession(session.path).load().usage() == history.usage()
    entry = {"role": "assistant", "content": [], "usage": {"input_tokens": 5}}
    assert MessageHistory.from_list([entry]).usage() == Usage()


def test_every_count_of_a_reply_without_content_is_counted() -> None:
    usage = Usage(**{name: n for n, name in enumerate(COUNTS, 1)})
    assert (
        ASKED.add(with_replies(make_message("assistant", ()), (ReplyInfo(id="msg_1", usage=usage),))).usage() == usage
    )


def test_what_was_said_stays_behind_windows_repairs_and_late_additions() -> None:
    history = ASKED.add_response(claude("One.", id="a")).add_user("More.").add_response(claude("Two.", id="b"))
    history = history.add_user("Go on.").with_system("Be brief.")
    assert history.usage().output_tokens == 6
    assert history.window(max_messages=3).usage().output_tokens == 3
    sent = ASKED.as_sent(Anthropic())
    grown = ASKED.add_user("And in Rome?").add_response(claude(), sent=sent)
    assert grown.usage().output_tokens == 3
    call = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
    asked = ASKED.add_response({**claude(), "content": [{"type": "text", "text": "I look."}, call]})
    assert asked.add_user("Stop.").without_unanswered().usage().output_tokens == 3


def test_a_message_of_an_untrusted_client_cannot_forge_usage() -> None:
    (_, entry) = ASKED.add_response(claude()).to_list()
    history = ASKED.add(entry)
    assert history[-1].replies == ()
    assert [repair.code for repair in history.repairs] == [RepairCode.VALUE_CONVERTED]


def test_what_is_no_reply_info_in_a_saved_form_is_passed_over() -> None:
    (asked, entry) = ASKED.add_response(claude()).to_list()
    for odd in (None, 3, [3], [{"usage": {"input_tokens": -1}, "id": 5, "raw_usage": 7}], "x"):
        loaded = MessageHistory.from_list([asked, {**entry, "replies": odd}])
        assert loaded == ASKED.add_response(claude())
        assert loaded.usage() == Usage()


def test_messages_without_a_reply_have_none() -> None:
    assert Message.user("Hi").replies == ()
    history = ASKED.add_assistant("Hi").add_assistant([ToolUseBlock("a", "b", {})])
    assert [message.replies for message in history] == [(), ()]
    assert "replies" not in history.to_list()[1]


def test_counts_are_whole_numbers_from_zero_on() -> None:
    with pytest.raises(ValueError, match="input_tokens"):
        Usage(input_tokens=-1)
    with pytest.raises(TypeError, match="output_tokens"):
        Usage(output_tokens=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("usage", [{"input_tokens": 5}, {"input_tokens": 5, "euros": 1}, "much", None])
def test_the_usage_that_an_application_notes_of_a_message_is_no_providers(usage: Any) -> None:
    history = MessageHistory().add_user(" ", metadata={"usage": usage})
    assert [part for part in history.repairs[-1].removed if isinstance(part, Mapping)] == [{"usage": usage}]
    assert history.usage() == Usage()


@pytest.mark.parametrize("name", ["openai_responses", "gemini_interactions"])
def test_a_whole_response_in_a_list_says_the_same_as_one_that_is_added(name: str) -> None:
    response, _ = RESPONSES[name]
    loaded = MessageHistory.from_list([{"role": "user", "content": "q"}, response])
    assert loaded[-1].replies == ASKED.add_response(response)[-1].replies
    assert MessageHistory.from_list(loaded.to_list()).usage() == loaded.usage() != Usage()


def test_the_stop_sequence_of_a_reply_is_kept_and_not_sent() -> None:
    reply = {**RESPONSES["anthropic"][0], "stop_reason": "stop_sequence", "stop_sequence": "END"}
    history = ASKED.add_response(reply)
    assert '"END"' in json.dumps(history.to_list())
    assert '"END"' not in json.dumps(history.for_send(Anthropic(prefill=True)))
