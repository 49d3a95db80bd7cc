"""Forms of files beside those of the samples: older and newer versions, other ways to export, rarer parts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.dialects.odd_pieces import PIXEL
from tests.formats.story import (
    ANSWER,
    ARGUMENTS,
    LOOKING,
    QUESTION,
    RESULT,
    TEXT_ARGUMENTS,
    lines,
    told,
    value,
)

from message_history import ImageBlock, RepairCode, from_file
from message_history.files.files import UnreadableFileError
from message_history.formats.reading import session_in
from other_formats.samples.letta import LETTA, LETTA_MESSAGES
from other_formats.samples.smolagents import SMOLAGENTS
from other_formats.samples.strands import CONVERSE, STRANDS

if TYPE_CHECKING:
    from pathlib import Path

from tests.formats.test_variants import STORY, TALK, read, thoughts

CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS}}


ONES: list[tuple[Any, Any]] = [
    ({"messages": [{"role": "user", "content": QUESTION}]}, {"choices": [{"message": {"content": ANSWER}}]}),
    (
        {"system": "Be brief.", "messages": [{"role": "user", "content": QUESTION}]},
        {"role": "assistant", "content": ANSWER},
    ),
    ([{"role": "user", "content": QUESTION}], {"role": "assistant", "content": ANSWER}),
    (
        {"instructions": "Be brief.", "input": [{"role": "user", "content": QUESTION}]},
        {"output": [{"type": "message", "role": "assistant", "content": ANSWER}]},
    ),
    ({"instructions": "Be brief.", "input": QUESTION}, ANSWER),
    (
        {
            "contents": [{"parts": [{"text": QUESTION}]}],
            "config": {"system_instruction": {"parts": [{"text": "Be brief."}]}},
        },
        {"candidates": [{"content": {"parts": [{"text": ANSWER}]}}]},
    ),
]


@pytest.mark.parametrize(("asked", "answered"), ONES)
def test_requests_and_replies_of_each_provider_are_read_from_langfuse(asked: Any, answered: Any) -> None:
    if "choices" in answered:
        answered["choices"][0]["message"]["role"] = "assistant"
    history = read(lines({"id": "1", "type": "GENERATION", "input": asked, "output": answered}), "langfuse")
    assert [each for each in told(history) if each[1] != "Be brief."] == TALK
    assert ("Be brief." in str(history.system)) == ("Be brief." in json.dumps(asked))


def test_items_of_responses_and_parts_of_gemini_are_read_from_langfuse() -> None:
    items = [
        {"role": "user", "content": QUESTION},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
        {"type": "function_call_output", "call_id": "c1", "output": RESULT},
    ]
    parts = [
        {"role": "user", "parts": [{"text": QUESTION}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]},
        {
            "role": "model",
            "parts": [{"text": "hm", "thought": True}, {"functionCall": {"name": "read_file", "args": {}}}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "read_file", "response": {"output": RESULT}}}]},
    ]
    for asked in ({"input": items}, {"contents": parts}):
        history = read(lines({"id": "1", "type": "GENERATION", "input": asked, "output": ANSWER}), "langfuse")
        assert [kind for kind, _ in told(history)] == ["user", "call", "result", "assistant"]
        assert thoughts(history) == ["hm"]
    strange = {"id": "1", "type": "GENERATION", "input": {"contents": [{"parts": ["a", {"brandNew": 1}]}]}}
    assert "brandNew" in str(session_in(lines(strange)).conversations[0].file.entries)
    unknown = {"id": "1", "type": "GENERATION", "input": {"messages": [{"role": "oracle", "content": "x"}]}}
    assert [note.detail for note in session_in(lines(unknown)).unread] == ["a message of the unknown role 'oracle'"]


def test_calls_of_phoenix_whose_names_have_dots_keep_name_and_arguments() -> None:
    asked = {
        "tool_call.id": "c1",
        "tool_call.function.name": "read_file",
        "tool_call.function.arguments": TEXT_ARGUMENTS,
    }
    messages = [
        {
            "message.role": "user",
            "message.contents": [{"message_content.type": "text", "message_content.text": QUESTION}],
        },
        {"message.role": "assistant", "message.tool_calls": [asked]},
        {"message.role": "tool", "message.content": RESULT, "message.tool_call_id": "c1"},
    ]
    answer = [{"message.role": "assistant", "message.content": ANSWER}]
    span = {
        "name": "llm",
        "context.span_id": "s",
        "attributes.llm.input_messages": messages,
        "attributes.llm.output_messages": answer,
    }
    assert told(read(lines(span), "phoenix")) == STORY


def test_spans_that_opentelemetry_exports_are_read() -> None:
    values = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": QUESTION,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
    }
    attributes = [{"key": key, "value": {"stringValue": each}} for key, each in values.items()]
    spans = [{"spanId": "s", "name": "llm", "attributes": attributes}]
    export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    assert told(read(value(export), "phoenix")) == TALK


def test_what_open_webui_keeps_item_by_item_is_read_and_so_are_files_and_the_prompt() -> None:
    items = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": RESULT}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
    ]
    files = [
        {"type": "file", "name": "b.txt", "file": {"data": {"content": "inside"}}},
        {"type": "image", "url": "data:image/png;base64,aGk="},
    ]
    nodes: dict[str, dict[str, Any]] = {
        "1": {"id": "1", "parentId": None, "role": "user", "content": QUESTION, "files": files},
        "2": {
            "id": "2",
            "parentId": "1",
            "role": "assistant",
            "content": "All of it.",
            "output": items,
            "sources": [1],
        },
    }
    chat = {"id": "s", "chat": {"system": "Be brief.", "history": {"messages": nodes, "currentId": "2"}}}
    history = read(value([chat]), "open-webui")
    assert told(history) == [STORY[0], ("user", "[attached: b.txt]\ninside"), *STORY[1:]]
    assert isinstance(history[0].content[-1], ImageBlock)
    assert (thoughts(history), "Be brief." in str(history.system)) == (["hm"], True)
    assert dict(session_in(value([chat])).conversations[0].omitted) == {"sources": 1}
    nodes["2"]["output"] = [{"type": "brand_new"}]
    assert [each.detail for each in session_in(value([chat])).unread] == ["an item of an unknown type"]


def test_quotes_recaps_and_attached_files_of_chatgpt_are_read_or_counted() -> None:
    def node(id: str, parent: str | None, role: str, content: dict[str, Any], **metadata: Any) -> dict[str, Any]:
        message = {"id": id, "author": {"role": role, "name": "web"}, "content": content, "metadata": metadata}
        return {"id": id, "parent": parent, "children": [], "message": message}

    asked = {"content_type": "text", "parts": [QUESTION]}
    quote = {"content_type": "tether_quote", "title": "A page", "url": "https://e.org", "text": "Said there."}
    nodes = [
        node("1", None, "user", asked, attachments=[{"id": "f", "name": "b.pdf"}]),
        node("2", "1", "tool", quote),
        node("3", "2", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 3s"}),
        node("4", "3", "assistant", {"content_type": "text", "parts": [ANSWER]}),
    ]
    export = [{"mapping": {each["id"]: each for each in nodes}, "current_node": "4"}]
    (conversation,) = session_in(value(export)).conversations
    assert told(conversation.history()) == [
        ("user", QUESTION),
        ("user", "[attached: b.pdf]"),
        ("call", "web"),
        ("result", "A page\nhttps://e.org\nSaid there."),
        ("assistant", ANSWER),
    ]
    made = "results without a call, which each have an empty one made for them"
    assert conversation.omitted == (("recaps of reasoning", 1), (made, 1))


def test_a_provider_s_own_tool_in_a_log_of_inspect_has_its_result() -> None:
    hidden = {"type": "reasoning", "reasoning": "sealed", "redacted": True, "summary": "hm"}
    used = {"type": "tool_use", "id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS, "result": RESULT}
    content = [hidden, used, {"type": "text", "text": ANSWER}]
    messages = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": content}]
    log = {"version": 2, "eval": {}, "samples": [{"id": 1, "epoch": 1, "input": "", "messages": messages}]}
    history = read(value(log), "inspect")
    assert (told(history), thoughts(history)) == (STORY, ["hm"])


def test_sessions_of_adk_in_a_list_are_read_one_by_one() -> None:
    def session(id: str, said: str) -> dict[str, Any]:
        return {"id": id, "events": [{"author": "user", "invocationId": "i", "content": {"parts": [{"text": said}]}}]}

    first, second = session_in(value([session("s1", QUESTION), session("s2", "Another.")])).conversations
    assert (first.origin.id, second.origin.id, second.label) == ("s1", "s2", "session s2")
    assert told(second.history()) == [("user", "Another.")]


def test_a_set_of_adk_for_evaluation_is_read_and_not_judged() -> None:
    empty = {"parts": [{"text": None}], "role": "model"}
    turns = [
        {
            "user_content": {"parts": [{"text": QUESTION}], "role": "user"},
            "intermediate_data": {
                "tool_uses": [{"id": None, "name": "read_file", "args": ARGUMENTS}],
                "tool_responses": [{"id": None, "name": "read_file", "response": {"result": RESULT}}],
                "intermediate_responses": [["reader", [{"text": LOOKING}]]],
            },
            "final_response": {"parts": [{"text": ANSWER}], "role": "model"},
        },
        {"user_content": {"parts": [{"text": "And b.txt?"}]}, "final_response": empty},
    ]
    session = session_in(value({"eval_set_id": "e", "eval_cases": [{"eval_id": "1", "conversation": turns}]}))
    (conversation,) = session.conversations
    assert (session.format.name, session.unread, session.violations()) == ("adk", (), [])
    assert [kind for kind, _ in told(conversation.history())] == ["user", "call", "result", *["assistant"] * 2, "user"]
    assert conversation.omitted == (("events without content", 1),)


def test_a_chat_of_autogen_0_2_has_the_words_of_who_began_it_as_the_user_s() -> None:
    talk = [
        {"content": QUESTION, "role": "assistant", "name": "user_proxy"},
        {"content": ANSWER, "role": "user", "name": "agent"},
    ]
    calling = [
        talk[0],
        {"content": None, "role": "assistant", "name": "agent", "tool_calls": [CALL]},
        {"content": RESULT, "role": "tool", "tool_responses": [{"tool_call_id": "c1", "content": RESULT}]},
        talk[1],
    ]
    for history, expected in ((talk, TALK), (calling, STORY)):
        assert told(read(value({"chat_id": 1, "chat_history": history, "cost": {}}), "autogen")) == expected
        assert told(read(value(history), "autogen")) == expected


def test_messages_of_semantic_kernel_with_a_text_only_are_read() -> None:
    rows = [{"Role": {"Label": "user"}, "Content": QUESTION}, {"Role": {"Label": "assistant"}, "Content": ANSWER}]
    assert told(read(value(rows), "agent-framework")) == TALK


def test_answers_that_sharegpt_prefers_go_on_with_the_conversation() -> None:
    row = {
        "conversations": [{"from": "human", "value": QUESTION}],
        "chosen": {"from": "gpt", "value": ANSWER},
        "rejected": [{"from": "gpt", "value": "No."}],
        "system": "Be brief.",
    }
    first, second = session_in(value([row])).conversations
    assert told(first.history()) == TALK
    assert (told(second.history()), second.label) == ([("user", QUESTION), ("assistant", "No.")], "item 0, rejected")
    assert "Be brief." in str(second.history().system)
    odd = session_in(value([{**row, "chosen": "in no form"}]))
    assert [each.detail for each in odd.unread] == ["a preference under `chosen`"]


def test_the_folder_of_a_session_of_strands_is_read_agent_by_agent(tmp_path: Path) -> None:
    session = tmp_path / "session_s"
    (session / "agents" / "agent_a" / "messages").mkdir(parents=True)
    (session / "agents" / "agent_a" / "agent.json").write_text("{}")
    rows = [*STRANDS, *({**each, "message_id": n} for n, each in enumerate(STRANDS, 10))]
    refused = {**STRANDS[0], "redact_message": {"role": "user", "content": [{"text": "[refused]"}]}}
    for row in rows:
        file = session / "agents" / "agent_a" / "messages" / f"message_{row['message_id']}.json"
        file.write_bytes(value(refused if row["message_id"] == 10 else row))
    for folder in (session, session / "agents" / "agent_a"):
        (conversation,) = from_file(folder)
        story = told(conversation.history())
        assert [kind for kind, _ in story] == ["user", "assistant", "call", "result", "assistant"] * 2
        assert story[5] == ("user", "[refused]")
        assert (conversation.origin.format, conversation.origin.title) == ("strands", "a")


def test_a_single_message_of_strands_is_not_judged_by_what_is_in_the_files_beside_it() -> None:
    image = {"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": True, "data": "aGk="}}}}
    called = {**STRANDS[1], "message": {**CONVERSE[1], "content": [*CONVERSE[1]["content"], image]}}
    session = session_in(value(called))
    assert (session.format.name, session.violations()) == ("strands", [])
    assert session_in(value(STRANDS[:2])).violations() != []
    assert "__bytes_encoded__" not in str(session.conversations[0].file.entries)


def test_messages_of_letta_out_of_the_context_are_counted() -> None:
    agent = {**LETTA, "system": "Be brief.", "in_context_message_ids": ["0"], "messages": LETTA_MESSAGES}
    older = {**agent, "in_context_message_ids": None, "in_context_message_indices": [0]}
    for file in ({"agents": [agent]}, older):
        (conversation,) = session_in(value(file)).conversations
        assert told(conversation.history()) == [("user", QUESTION)]
        assert "Be brief." in str(conversation.history().system)
        assert conversation.omitted == (("messages out of the context", 3),)


def test_errors_plans_and_prompts_of_smolagents_are_read() -> None:
    prompt = [{"role": "system", "content": [{"type": "text", "text": "Be brief."}]}]
    failed = {**SMOLAGENTS[1], "observations": None, "error": {"type": "AgentError", "message": "no file"}}
    steps = [SMOLAGENTS[0], {"plan": "First look."}, {**failed, "model_input_messages": prompt}]
    no_call: dict[str, Any] = {**failed, "step_number": 2, "tool_calls": []}
    (conversation,) = session_in(value([*steps, no_call])).conversations
    assert told(conversation.history()) == [
        ("user", QUESTION),
        ("assistant", "First look."),
        ("assistant", LOOKING),
        ("call", "read_file"),
        ("result", "no file"),
        ("assistant", LOOKING),
        ("user", "no file"),
    ]
    assert "Be brief." in str(conversation.history().system)
    assert conversation.omitted == (("what models got, which repeats the steps", 1),)


def test_messages_of_dify_are_put_in_the_order_of_their_times() -> None:
    def message(n: int, **more: Any) -> dict[str, Any]:
        return {"conversation_id": "s", "query": f"q{n}", "answer": f"a{n}", "created_at": n, **more}

    files = [{"filename": "b.txt"}]
    thought = [{"thought": "hm", "tool": ""}, {"thought": "a1"}]
    newer = message(2, message_files=files, retriever_resources=[1])
    (conversation,) = session_in(value({"data": [newer, message(1, agent_thoughts=thought)]})).conversations
    assert [words for _, words in told(conversation.history())] == ["q1", "hm", "a1", "[attached: b.txt]", "q2", "a2"]
    assert conversation.omitted == (("sources", 1),)


def test_names_of_files_beside_a_message_of_librechat_are_kept() -> None:
    asked = {"messageId": "1", "isCreatedByUser": True, "text": QUESTION, "files": [{"filename": "b.txt"}]}
    history = read(value({"conversationId": "s", "messages": [asked]}), "librechat")
    assert told(history) == [("user", "[attached: b.txt]"), ("user", QUESTION)]


def test_calls_of_kimi_under_one_id_in_two_turns_keep_their_own_arguments() -> None:
    rows = [
        {"timestamp": 1.0, "message": {"type": kind, "payload": payload}}
        for city in ("Rome", "Paris")
        for kind, payload in (
            ("TurnBegin", {"user_input": city}),
            ("ToolCall", {"id": "c1", "function": {"name": "weather", "arguments": '{"city": '}}),
            ("ToolCallPart", {"arguments_part": f'"{city}"' + "}"}),
            ("ToolResult", {"tool_call_id": "c1", "return_value": {"output": f"sunny in {city}"}}),
            ("ContentPart", {"type": "text", "text": "Sunny."}),
        )
    ]
    history = read(lines(*rows), "kimi-wire")
    assert [call.input for message in history for call in message.calls] == [{"city": "Rome"}, {"city": "Paris"}]


def test_a_session_of_kimi_code_that_was_only_begun_is_recognised_with_its_prompt() -> None:
    session = session_in(
        lines(
            {"type": "metadata", "protocol_version": "1.4", "created_at": 1},
            {"type": "config.update", "profileName": "agent", "systemPrompt": "Be brief."},
            {"type": "tools.set_active_tools", "names": ["Read"]},
        )
    )
    (conversation,) = session.conversations
    assert (session.format.name, session.unread) == ("kimi-code", ())
    assert (conversation.history().system, told(conversation.history())) == ("Be brief.", [])


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (RESULT, [f"{RESULT}\nThree in all."]),
        ([{"type": "text", "text": RESULT}], [f"{RESULT}\nThree in all."]),
        ([{"type": "text", "text": RESULT}] * 2, [RESULT, RESULT, "Three in all."]),
        (None, ["Three in all."]),
    ],
)
def test_what_kimi_code_notes_of_a_result_is_sent_with_it(output: Any, words: list[str]) -> None:
    events: list[dict[str, Any]] = [
        {"type": "tool.call", "stepUuid": "s1", "toolCallId": "c1", "name": "ReadFile", "args": ARGUMENTS},
        {"type": "tool.result", "toolCallId": "c1", "result": {"output": output, "note": "Three in all."}},
    ]
    asked = {"type": "context.append_message", "message": {"role": "user", "content": [], "toolCalls": []}}
    file = lines(asked, *({"type": "context.append_loop_event", "event": event} for event in events))
    (conversation,) = session_in(file).conversations
    found = conversation.file.entries[-1]["content"][0]["content"]
    assert ([found] if isinstance(found, str) else [part["text"] for part in found]) == words


def test_mistral_vibe_keeps_images_beside_the_words_and_is_not_written() -> None:
    images = [
        {"source": {"kind": "inline", "data": "aGk="}, "alias": "a.png", "mime_type": "image/png"},
        {"path": "b.png", "alias": "b.png", "mime_type": "image/png"},
    ]
    asked = {"role": "user", "content": QUESTION, "injected": False, "images": images}
    called = {"role": "assistant", "injected": False, "tool_calls": [CALL], "reasoning_state": ["x"]}
    session = session_in(lines(asked, called, {"role": "oracle", "injected": True}))
    (conversation,) = session.conversations
    history = conversation.history()
    assert (session.format.name, [note.detail for note in session.unread]) == (
        "mistral-vibe",
        ["a row of an unknown role"],
    )
    assert told(history)[:3] == [("user", "[attached: b.png]"), ("user", QUESTION), ("call", "read_file")]
    assert isinstance(history[0].content[0], ImageBlock)
    assert conversation.omitted == (("keys of messages: reasoning_state", 1),)
    # A call without a result is wrong, and stays: the program counts the messages elsewhere.
    assert [violation.rule for _, violation in session.violations()] == ["AN-C1"]
    with pytest.raises(UnreadableFileError, match="read, not written"):
        session.repair_file()


@pytest.mark.parametrize(
    ("results", "found"),
    [
        ([{"content": RESULT}], ["", RESULT]),
        ([{"content": "one"}, {"content": "two"}], ["one", "two"]),
        ([{"content": "one"}, {"content": "two"}, {"content": "three"}], ["", "onetwothree"]),
        ([{"content": "one", "source_call_id": "c2"}, {"content": "two"}], ["two", "one"]),
        ([{"content": [{"type": "text", "text": RESULT}]}], ["", RESULT]),
    ],
)
def test_an_output_that_commands_of_a_step_share_is_the_result_of_the_last(
    results: list[dict[str, Any]], found: list[str]
) -> None:
    calls = [{"tool_call_id": f"c{n}", "function_name": "bash", "arguments": {"keystrokes": "ls"}} for n in (1, 2)]
    steps = [
        {"step_id": 1, "source": "user", "message": QUESTION},
        {"step_id": 2, "source": "agent", "message": "", "tool_calls": calls, "observation": {"results": results}},
        {"step_id": 3, "source": "agent", "message": "No JSON.", "observation": {"results": [{"content": "Retry."}]}},
    ]
    (conversation,) = session_in(
        value({"schema_version": "ATIF-v1.6", "session_id": "s", "steps": steps})
    ).conversations
    assert told(conversation.history()) == [
        ("user", QUESTION),
        *[("call", "bash")] * 2,
        *(("result", words) for words in found),
        ("assistant", "No JSON."),
        ("user", "Retry."),
    ]
    assert all(repair.code is RepairCode.RESULTS_REORDERED for repair in conversation.history().repairs)


@pytest.mark.parametrize("has_request", [False, True])
def test_results_of_gemini_s_batches_are_read(has_request: bool) -> None:
    request = {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]} if has_request else {}
    reply = {"candidates": [{"content": {"role": "model", "parts": [{"text": ANSWER}]}}]}
    rows = [{"key": "1", "request": request, "response": reply}, {"key": "2", "response": {"promptFeedback": {}}}]
    session = session_in(lines(*rows))
    first, second = session.conversations
    assert (session.format.name, first.origin.id) == ("batch-results", "1")
    assert told(first.history())[-1] == ("assistant", ANSWER)
    assert (told(first.history())[0] == ("user", QUESTION)) is has_request
    assert second.omitted == (("requests that failed", 1),)


@pytest.mark.parametrize(
    "part",
    [
        {"kind": "file", "file": {"mimeType": "image/png", "bytes": PIXEL}},
        {"kind": "file", "file": {"mimeType": "image/png", "uri": "https://example.org/a.png"}},
        {"raw": PIXEL, "mediaType": "image/png"},
        {"url": "https://example.org/a.png", "mediaType": "image/png"},
    ],
)
def test_images_of_both_versions_of_a2a_are_read(part: dict[str, Any]) -> None:
    message = {"messageId": "1", "role": "user", "parts": [part]}
    (block,) = read(lines(message), "a2a")[0].content
    assert isinstance(block, ImageBlock)
    assert {PIXEL, "https://example.org/a.png"} & set(block.source.values())
