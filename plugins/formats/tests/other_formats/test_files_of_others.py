"""Files that are not conversations, however much they look like one, are not recognised and never written."""

from __future__ import annotations

import json

import pytest
from tests.formats.every_sample import SAMPLES
from tests.formats.story import ANSWER, CHAT, QUESTION, lines, told, value

from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in


def test_a_chat_of_aider_that_quotes_messages_is_one() -> None:
    sample = next(each for each in SAMPLES if each.format == "aider")
    assert session_in(sample.data + b"\n" + json.dumps(CHAT[0]).encode() + b"\n").format.name == "aider"


def test_a_simulation_of_tau2_bench_in_a_file_of_its_own_is_read() -> None:
    simulation = {"id": "s", "task_id": "1", "trial": 0, "termination_reason": "user_stop", "messages": CHAT}
    session = session_in(value(simulation))
    assert (session.format.name, session.unread) == ("tau2-bench", ())
    assert session.conversations[0].origin.id == "s"
    assert told(session.conversations[0].history())[0] == ("user", QUESTION)


def test_a_spoken_simulation_of_tau2_bench_is_read_piece_by_piece() -> None:
    call = {"id": "c1", "name": "look", "arguments": {"path": "a.txt"}, "requestor": "assistant"}
    result = {"id": "c1", "role": "tool", "content": "three lines", "requestor": "assistant"}
    silent = {"role": "assistant", "contains_speech": False}
    ticks = [
        {"tick_id": 0, "agent_chunk": silent, "user_chunk": {"role": "user", "content": "What is "}},
        {"tick_id": 1, "agent_chunk": silent, "user_transcript": "in a.txt?"},
        {"tick_id": 2, "agent_chunk": {"role": "assistant", "content": "Let me look."}, "agent_tool_calls": [call]},
        {"tick_id": 3, "agent_tool_results": [result], "user_tool_calls": []},
        {"tick_id": 4, "agent_chunk": {"role": "assistant", "content": "It has "}},
        {"tick_id": 5, "agent_chunk": {"role": "assistant", "content": "three lines."}},
        "no tick",
    ]
    simulation = {"task_id": 1, "termination_reason": "user_stop", "messages": None, "ticks": ticks}
    for whole in (simulation, {"simulations": [simulation], "tasks": []}):
        session = session_in(value(whole))
        assert session.format.name == "tau2-bench"
        assert [note.skipped for note in session.unread] == ["no tick"]
        assert told(session.conversations[0].history()) == [
            ("user", QUESTION),
            ("assistant", "Let me look."),
            ("call", "look"),
            ("result", "three lines"),
            ("assistant", ANSWER),
        ]


def test_the_output_of_a_command_of_windsurf_is_the_text_of_its_result() -> None:
    asked = {"status": "done", "type": "user_input", "user_input": {"user_response": QUESTION}}
    ran = {"command": "ls", "exit_code": 0, "output": 'a "file"\nand more'}
    rows = [{"status": "done", "type": "run_command", "run_command": ran}]
    rows.append({"status": "done", "type": "run_command", "run_command": {**ran, "exit_code": 2}})
    history = session_in(lines(asked, *rows)).conversations[0].history()
    assert [words for kind, words in told(history) if kind == "result"] == [
        *(ran["output"], f"{ran['output']}\n(exit code 2)"),
    ]


def test_a_page_that_begins_with_a_small_heading_is_no_history_of_aider() -> None:
    page = f"#### What does it change?\n\n{ANSWER}\n\n#### Which issue is it for?\n\nNone.\n".encode()
    with pytest.raises(NotRecognisedError) as refused:
        session_in(page)
    assert list(refused.value.nearest) == ["aider"]
    # A history that was cut has the line breaks with which aider ends what the user says.
    (conversation,) = session_in(f"#### {QUESTION}  \n\n{ANSWER}\n".encode()).conversations
    assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER)]


def test_a_thread_that_lost_its_version_is_like_amp_s() -> None:
    sample = next(each for each in SAMPLES if each.format == "amp")
    thread = {key: value for key, value in json.loads(sample.data).items() if key != "v"}
    thread["messages"].append({"role": "assistant", "messageId": 9, "content": [{"type": "tool_use", "text": "x"}]})
    with pytest.raises(NotRecognisedError) as refused:
        session_in(value(thread))
    assert "amp" in refused.value.nearest
