"""Threads of Zed: of all versions, in its database, and with all that a message can hold."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, THOUGHT, told, value
from tests.formats.test_databases import STORY, database
from tests.formats.test_unpacking import framed, zstandard

from message_history import ImageBlock, ThinkingBlock
from message_history.formats.reading import SessionFile, session_in
from other_formats.samples.zed import ZED, ZED_OLD

__all__ = ["zstandard"]  # a fixture

COLUMNS = "id, summary, updated_at, data_type, data"
PICTURE = "iVBORw0KGgo="


def zed_database(*rows: tuple[Any, ...]) -> SessionFile:
    return session_in(database({"threads": (COLUMNS, list(rows))}))


@pytest.mark.usefixtures("zstandard")
def test_all_threads_of_the_database_are_read_newest_first() -> None:
    new, old = json.dumps(ZED).encode(), json.dumps(ZED_OLD).encode()
    session = zed_database(("a", "Old", "2025", "json", old), ("b", "New", "2026", "zstd", framed(new)))
    assert session.unread == ()
    assert [told(each.history()) for each in session.conversations] == [STORY, STORY]
    assert [each.origin.id for each in session.conversations] == ["b", "a"]


def test_a_thread_that_cannot_be_unpacked_is_noted_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    old = json.dumps(ZED_OLD).encode()
    session = zed_database(("a", "A packed one", "2026", "zstd", framed(b"{}")), ("b", "x", "2025", "json", old))
    assert [(note.skipped, "Python unpacks from 3.14 on" in note.detail) for note in session.unread] == [
        ("A packed one", True)
    ]
    assert told(session.conversations[0].history()) == STORY


@pytest.mark.usefixtures("zstandard")
def test_a_damaged_thread_is_noted() -> None:
    rows = [("a", "One", "1", "zstd", b"\0"), ("b", "Two", "2", "json", b"{"), ("c", "Three", "3", "json", b"[]")]
    session = zed_database(*rows)
    assert [note.skipped for note in session.unread] == ["Three", "Two", "One"]


def test_every_part_of_a_message_is_read() -> None:
    picture = {"source": PICTURE, "size": {"width": 1, "height": 1}}
    asked = [
        {"Mention": {"uri": {"File": {"abs_path": "/src/a.txt"}}, "content": "Words of the file."}},
        {"Mention": {"uri": {"Rule": {"id": {"User": "r"}, "name": "House rules"}}, "content": ""}},
        {"Image": picture},
        {"Text": QUESTION},
    ]
    made = [{"Thinking": {"text": THOUGHT, "signature": "sig"}}, {"RedactedThinking": "secret"}, {"Text": ANSWER}]
    messages = [{"User": {"id": "u", "content": asked}}, {"Agent": {"content": made, "tool_results": {}}}]
    session = session_in(value({**ZED, "messages": messages}))
    user, assistant = session.conversations[0].history()
    assert session.unread == ()
    assert [text for _, text in told(session.conversations[0].history())] == [
        *("@/src/a.txt", "Words of the file.", "@House rules", QUESTION),
        ANSWER,
    ]
    assert sum(isinstance(block, ImageBlock) for block in user.content) == 1
    assert next(block.thinking for block in assistant.content if isinstance(block, ThinkingBlock)) == THOUGHT


@pytest.mark.parametrize(
    "content",
    [RESULT, {"text": RESULT}, {"type": "text", "text": RESULT}, {"Text": RESULT}, [RESULT], [{"Text": RESULT}]],
)
def test_a_result_is_read_in_every_spelling_that_zed_takes(content: object) -> None:
    thread = json.loads(json.dumps(ZED))
    thread["messages"][1]["Agent"]["tool_results"]["c1"]["content"] = content
    assert told(session_in(value(thread)).conversations[0].history()) == STORY


def test_a_result_of_version_0_1_is_a_message_of_the_user() -> None:
    asked, made, answer = ZED_OLD["messages"]
    given = {"id": 1, "role": "user", "segments": [], "tool_results": made["tool_results"]}
    old = {**ZED_OLD, "version": "0.1.0", "messages": [asked, {**made, "tool_results": []}, given, answer]}
    assert told(session_in(value(old)).conversations[0].history()) == STORY


def test_a_thread_of_the_first_form_has_its_words_in_messages() -> None:
    messages = [{"id": 0, "role": "user", "text": QUESTION}, {"id": 1, "role": "assistant", "text": ANSWER}]
    first = {"summary": "A file", "updated_at": "t", "messages": messages}
    assert told(session_in(value(first)).conversations[0].history()) == [("user", QUESTION), ("assistant", ANSWER)]


def test_places_in_a_text_thread_count_bytes() -> None:
    said = "Größe von 你好?"
    places = [(0, "user"), (len(f"{said}\n".encode()), "assistant")]
    messages = [{"id": n, "start": start, "metadata": {"role": role}} for n, (start, role) in enumerate(places)]
    thread = {"zed": "context", "version": "0.4.0", "text": f"{said}\n{ANSWER}\n", "messages": messages}
    assert told(session_in(value(thread)).conversations[0].history()) == [("user", said), ("assistant", ANSWER)]


def test_what_zed_does_not_know_is_noted() -> None:
    odd = {"User": {"content": [{"Text": LOOKING}, {"Smell": "smoke"}, "bare"]}}
    session = session_in(value({**ZED, "messages": [odd, {"Robot": {}}, *ZED["messages"]]}))
    assert [note.detail for note in session.unread] == [
        *("a part of an unknown kind", "a part of an unknown kind", "a message of an unknown kind"),
    ]
