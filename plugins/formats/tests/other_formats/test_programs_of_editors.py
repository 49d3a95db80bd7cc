"""What files of editors and their agents hold beside the story that every format is tested with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from tests.formats.story import (
    ANSWER,
    ARGUMENTS,
    LOOKING,
    QUESTION,
    RESULT,
    THOUGHT,
    TOOL_RESULT,
    TOOL_USE,
    lines,
    told,
    value,
)

from message_history import ImageBlock, MessageHistory, TextBlock, ToolResultBlock, ToolUseBlock, from_file
from message_history.cli.app import app
from message_history.formats.reading import session_in
from other_formats.samples.amp import AMP
from other_formats.samples.cline_sessions import CLINE_ROWS, ROO_ROWS
from other_formats.samples.continue_dev import CONTINUE
from other_formats.samples.goose import GOOSE
from other_formats.samples.vscode_chat import VSCODE_CHAT, VSCODE_REQUEST

if TYPE_CHECKING:
    from pathlib import Path

from tests.formats.test_programs_of_editors import STORY, opencode_storage


def test_reasoning_in_a_session_of_goose_is_read() -> None:
    rows: list[dict[str, Any]] = json.loads(json.dumps(GOOSE))
    rows[1]["content"].insert(0, {"type": "reasoning", "text": THOUGHT})
    session = session_in(value({"id": "s", "working_dir": "/", "conversation": rows}))
    assert (session.format.name, session.unread) == ("goose", ())
    assert THOUGHT in str(session.conversations[0].file.entries)
    assert told(session.conversations[0].history()) == STORY


def test_a_history_of_aider_that_begins_in_the_middle_of_a_chat_is_recognised() -> None:
    content = f'{{"a": 1}}\n> ^C\n\n# aider chat started at 2026-01-02 03:04:05\n\n#### {QUESTION}\n\n{ANSWER}\n'
    session = session_in(content.encode())
    assert session.format.name == "aider"
    assert told(session.conversations[-1].history()) == [("user", QUESTION), ("assistant", ANSWER)]


def test_results_of_continue_stand_in_the_states_of_calls_and_are_told_once() -> None:
    session = session_in(value({"sessionId": "s", "history": CONTINUE}))
    assert told(session.conversations[0].history()) == STORY
    assert session.conversations[0].omitted == (("results that are in the state of their call, too", 1),)


def test_a_summary_of_continue_takes_the_place_of_what_was_before() -> None:
    before = {"message": {"role": "user", "content": "Said long ago."}, "conversationSummary": "They greeted."}
    session = session_in(value({"sessionId": "s", "history": [before, *CONTINUE]}))
    main = session.conversations[0]
    assert told(main.history()) == STORY
    assert main.file.entries[0] == {"role": "system", "content": "Previous conversation summary:\n\n They greeted."}
    assert ("items that a summary takes the place of", 1) in session.conversations[0].omitted


def test_calls_of_continue_that_the_user_cancelled_say_so() -> None:
    item = {**CONTINUE[1], "toolCallStates": [{"toolCallId": "c1", "status": "canceled"}]}
    session = session_in(value({"sessionId": "s", "history": [CONTINUE[0], item]}))
    (stub,) = [
        block
        for message in session.conversations[0].history()
        for block in message.content
        if isinstance(block, ToolResultBlock)
    ]
    assert stub.is_error


def test_roo_code_goes_on_from_its_newest_summary() -> None:
    main = session_in(value(ROO_ROWS)).conversations[0]
    assert told(main.history()) == STORY
    assert dict(main.omitted) == {
        "messages that a summary takes the place of, or that were cut off": 1,
        "encrypted reasoning": 1,
    }


def test_a_session_of_cline_that_lost_a_result_is_repaired_row_by_row(tmp_path: Path) -> None:
    attached = {"type": "file", "path": "b.txt", "content": "attached words"}
    rows: list[dict[str, Any]] = [{**CLINE_ROWS[0], "content": [attached]}, *CLINE_ROWS[1:2], *CLINE_ROWS[3:]]
    session = session_in(value(rows))
    assert "attached words" in str(told(session.conversations[0].history()))
    file = tmp_path / "api_conversation_history.json"
    file.write_bytes(value(rows))
    assert CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)]).exit_code == 0
    written = json.loads(file.read_bytes())
    assert [row for row in written if row in rows] == rows
    (made,) = [row for row in written if row not in rows]
    assert (made["role"], made["content"][0]["tool_use_id"], made["content"][0]["name"]) == ("user", "c1", "read_file")


def test_runs_of_amp_that_failed_or_were_stopped_say_so_and_summaries_are_read() -> None:
    runs = [
        {"status": "error", "error": {"message": "no such file"}},
        {"status": "cancelled"},
        {"status": "rejected-by-user", "reason": "not now"},
    ]
    calls = [{**TOOL_USE, "id": f"c{n}"} for n in range(3)]
    results = [{"type": "tool_result", "toolUseID": f"c{n}", "run": run} for n, run in enumerate(runs)]
    shell = {"type": "manual_bash_invocation", "args": {"cmd": "ls"}, "toolRun": {"result": {"output": "a.txt"}}}
    messages = [
        {"role": "user", "messageId": 0, "content": [{"type": "summary", "summary": {"summary": "They greeted."}}]},
        {"role": "assistant", "messageId": 1, "content": calls},
        {"role": "user", "messageId": 2, "content": results},
        {"role": "info", "messageId": 3, "content": [shell]},
    ]
    history = session_in(value({**AMP, "messages": messages})).conversations[0].history()
    words = told(history)
    assert words[0] == ("user", "They greeted.")
    assert ("result", "no such file") in words
    assert "not now" in str(words)
    assert words[-1] == ("user", "$ ls\na.txt")
    assert history.repairs == ()


def test_a_block_of_cline_with_a_result_of_several_parts_is_read() -> None:
    parts = [{"type": "text", "text": RESULT}, {"type": "image", "data": "aGk=", "mediaType": "image/png"}]
    rows = [*CLINE_ROWS[:2], {"role": "user", "content": [{**TOOL_RESULT, "content": parts}], "ts": 3}]
    session = session_in(value(rows))
    assert (session.format.name, session.violations()) == ("cline", [])
    assert told(session.conversations[0].history())[-1] == ("result", RESULT)


def test_doctor_takes_a_folder_of_a_program_s_small_files_for_its_sessions(tmp_path: Path) -> None:
    root = opencode_storage(tmp_path / "opencode")
    events = tmp_path / "conversation" / "events"
    events.mkdir(parents=True)
    asked = {"source": "user", "action": "message", "args": {"content": QUESTION}, "message": QUESTION}
    answered = {"source": "agent", "action": "message", "args": {"content": ANSWER}, "message": ANSWER}
    for n, event in ((10, {"id": 10, **answered}), (9, {"id": 9, **asked})):
        (events / f"{n}.json").write_bytes(value(event))
    (events.parent / "base_state.json").write_bytes(value({"id": "s"}))
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    result = CliRunner().invoke(app, ["doctor", "--all", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == "2 sessions: 2 sound, 1 other file"
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    assert (str(root) in result.output.replace("\n", ""), str(events) in result.output.replace("\n", "")) == (
        True,
        True,
    )
    for path in (events, events.parent):
        (conversation,) = from_file(path)
        assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER)]


def test_results_of_several_calls_in_a_chat_of_autogen_2_keep_their_ids() -> None:
    calls = [{"id": id, "type": "function", "function": {"name": "read_file", "arguments": "{}"}} for id in "ab"]
    results = [{"tool_call_id": id, "role": "tool", "content": f"result {id}"} for id in "ab"]
    chat = [
        {"role": "user", "content": QUESTION, "name": "u"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "result a\n\nresult b", "tool_responses": results},
    ]
    session = session_in(value(chat))
    assert session.format.name == "autogen"
    history = session.conversations[0].history()
    assert told(history)[3:] == [("result", "result a"), ("result", "result b")]
    assert history.repairs == ()


def test_a_journal_of_kimi_code_keeps_what_a_summary_takes_the_place_of_and_not_what_was_undone() -> None:
    def said(words: str, kind: str = "user") -> dict[str, Any]:
        message = {"role": "user", "content": [{"type": "text", "text": words}], "origin": {"kind": kind}}
        return {"type": "context.append_message", "message": message}

    session = session_in(
        lines(
            said("Cleared."),
            {"type": "context.clear"},
            said("First."),
            {
                "type": "context.apply_compaction",
                "summary": "short",
                "contextSummary": "A summary.",
                "compactedCount": 1,
            },
            {"type": "context.undo", "count": 1},
            said("Second."),
            said("Undone."),
            said("A reminder.", "injection"),
            {"type": "context.undo", "count": 1},
            {"type": "context.brand_new"},
        )
    )
    main = session.conversations[0]
    assert told(main.history()) == [("user", words) for words in ("First.", "A summary.", "Second.")]
    assert dict(main.omitted) == {"pieces of messages that were cleared": 1, "pieces of messages that were undone": 2}
    assert [note.line for note in session.unread] == [10]


def test_results_of_parallel_calls_of_sharegpt_are_parted_and_a_missing_one_shifts_no_other() -> None:
    def calls(*names: str) -> dict[str, str]:
        return {"from": "function_call", "value": json.dumps([{"name": name, "arguments": {}} for name in names])}

    turns = [
        {"from": "human", "value": QUESTION},
        calls("f", "g"),
        {"from": "observation", "value": json.dumps(["one", {"two": 2}])},
        calls("h", "i"),
        {"from": "observation", "value": "of h"},
        calls("j"),
        {"from": "observation", "value": "of j"},
        {"from": "gpt", "value": ANSWER},
    ]
    history = session_in(value([{"conversations": turns}])).conversations[0].history()
    results = {name: content for name, content in zip_results(history) if content}
    assert (results["f"], results["g"], results["h"], results["j"]) == ("one", '{"two": 2}', "of h", "of j")


def zip_results(history: MessageHistory) -> list[tuple[str, str]]:
    blocks = [block for message in history for block in message.content]
    names = {block.id: block.name for block in blocks if isinstance(block, ToolUseBlock)}
    return [
        (names[block.tool_use_id], "".join(part.text for part in block.content if isinstance(part, TextBlock)))
        for block in blocks
        if isinstance(block, ToolResultBlock)
    ]


def test_the_last_words_of_openhands_are_its_own_where_it_has_some() -> None:
    def words(**arguments: str) -> list[tuple[str, str]]:
        asked = {"id": 0, "source": "user", "action": "message", "args": {"content": QUESTION}}
        end = {"id": 1, "source": "agent", "action": "finish", "message": "All done!", "args": arguments}
        return told(session_in(value([asked, end])).conversations[0].history())[1:]

    assert words(thought="") == [("assistant", "All done!")]
    assert words(thought="", final_thought=ANSWER) == [("assistant", ANSWER)]
    assert words(thought=LOOKING, final_thought=ANSWER) == [("assistant", LOOKING), ("assistant", ANSWER)]


def test_what_pi_qwen_code_and_amp_say_of_usage_is_counted() -> None:
    said = {"model": "m", "provider": "p", "usage": {"input": 3, "output": 5, "cacheRead": 7, "cacheWrite": 11}}
    pi: list[dict[str, Any]] = [
        {"type": "session", "id": "s", "cwd": "/"},
        {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": QUESTION}},
        {"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "content": ANSWER, **said}},
    ]
    counts = {"promptTokenCount": 21, "candidatesTokenCount": 5, "cachedContentTokenCount": 7}
    qwen: list[dict[str, Any]] = [
        {"uuid": "a", "parentUuid": None, "sessionId": "s", "type": "user"},
        {"uuid": "b", "parentUuid": "a", "sessionId": "s", "type": "assistant", "model": "m", "usageMetadata": counts},
    ]
    for row, role, words in zip(qwen, ("user", "model"), (QUESTION, ANSWER), strict=True):
        row["message"] = {"role": role, "parts": [{"text": words}]}
    found = {"inputTokens": 3, "outputTokens": 5, "cacheReadInputTokens": 7, "cacheCreationInputTokens": 11}
    empty: dict[str, Any] = {
        "type": "message",
        "id": "c",
        "parentId": "d",
        "message": {"role": "assistant", "content": [], **said},
    }
    pi += [{**pi[1], "id": "d", "parentId": "b"}, {**empty, "message": {**empty["message"], "usage": None}}]
    amp = {**AMP, "messages": [AMP["messages"][0], {**AMP["messages"][3], "usage": {"model": "m", **found}}]}
    for data in (lines(*pi), lines(*qwen), value(amp)):
        usage = session_in(data).conversations[0].history().usage()
        assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (21, 5, 7)


def test_replies_of_the_responses_api_in_mini_swe_agent_are_taken_item_by_item() -> None:
    asked = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read_file", "arguments": "{}"}
    messages = [
        {"role": "user", "content": QUESTION},
        {"object": "response", "id": "resp_1", "output": [asked], "extra": {"cost": 1}},
        {"type": "function_call_output", "call_id": "c1", "output": RESULT, "extra": {}},
    ]
    session = session_in(value({"trajectory_format": "mini-swe-agent-1.1", "info": {}, "messages": messages}))
    assert session.violations() == []
    assert told(session.conversations[0].history()) == [("user", QUESTION), ("call", "read_file"), ("result", RESULT)]


def test_a_response_of_vs_code_without_rounds_is_read_as_it_is_shown() -> None:
    shown = [
        {"value": LOOKING},
        {
            "kind": "toolInvocationSerialized",
            "toolCallId": "u1",
            "toolId": "mcp_read",
            "resultDetails": {"input": json.dumps(ARGUMENTS), "output": [{"type": "embed", "value": RESULT}]},
        },
        {"kind": "textEditGroup", "edits": []},
        {"value": ANSWER},
    ]
    image = {"kind": "image", "name": "i", "mimeType": "image/png", "value": {"0": 137, "1": 80}}
    request = {**VSCODE_REQUEST, "response": shown, "result": None, "variableData": {"variables": [image]}}
    main = session_in(value({**VSCODE_CHAT, "requests": [request]})).conversations[0]
    assert [each for each in told(main.history()) if each[0] != "call"] == [each for each in STORY if each[0] != "call"]
    assert main.omitted == (("textEditGroup parts", 1),)
    assert isinstance(main.history()[0].content[1], ImageBlock)


def test_words_of_a_response_that_are_in_no_round_are_kept() -> None:
    request = {**VSCODE_REQUEST, "response": [*VSCODE_REQUEST["response"], {"value": "Said at last."}]}
    main = session_in(value({**VSCODE_CHAT, "requests": [request]})).conversations[0]
    assert told(main.history()) == [*STORY, ("assistant", "Said at last.")]
    assert THOUGHT in str(main.file.entries)


def test_a_change_of_what_is_not_there_is_reported() -> None:
    log = lines({"kind": 0, "v": VSCODE_CHAT}, {"kind": 1, "k": ["requests", 3, "result"], "v": {}})
    assert [note.line for note in session_in(log).unread] == [2]
