"""What the clinic's Python reports about an error text; the page itself is tried in a browser."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("message_history_pages", reason="needs ./plugins/pages")
DOCS = Path(__file__).parents[2] / "docs"
CLINIC = runpy.run_path(str(DOCS / "clinic" / "clinic.py"))


def report(data: str, error: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CLINIC["Patient"]("a.txt", data.encode(), error).report())
    return found


def test_an_error_that_is_not_about_the_messages_is_named_as_such() -> None:
    found = report('[{"role": "user", "content": "q"}]', "429 rate limit exceeded")
    assert found["explained"] == []
    assert found["elsewhere"].startswith("not about the form of the messages, but about load: ")


def test_a_pasted_error_that_is_not_about_the_messages_is_named_as_such() -> None:
    assert "it is not about the form of the messages, but about load" in report("429 rate limit exceeded")["problem"]


def test_a_pasted_error_about_the_messages_is_explained() -> None:
    found = report("messages: final assistant content cannot end with trailing whitespace")
    assert (found["problem"], found["elsewhere"]) == ("", "")
    assert found["explained"][0]["dialect"] == "anthropic"


def test_what_is_neither_a_conversation_nor_a_known_error_is_said_to_be_neither() -> None:
    assert report("hello")["problem"].endswith("nor is it an error that a provider is known to give")


def test_a_broken_file_that_is_read_only_is_shown_and_taken_along_as_a_list() -> None:
    call = {"name": "weather", "args": {}, "id": "c1", "type": "tool_call"}
    messages = [
        {"type": "human", "data": {"content": "Rome?"}},
        {"type": "ai", "data": {"content": "", "tool_calls": [call]}},
        {"type": "human", "data": {"content": "Well?"}},
    ]
    patient = CLINIC["Patient"]("chat.json", json.dumps(messages).encode())
    found: dict[str, Any] = json.loads(patient.report())
    assert (found["problem"], found["kind"]) == ("", "langchain")
    assert [each["rule"] for each in found["violations"]] == ["AN-C1"]
    assert [each["code"] for each in found["repairs"]] == ["result_stubbed"]
    assert found["unwritten"].startswith("Files of the format langchain are read, not written: ")
    assert (found["left"], found["forms"][0]) == ([], "anthropic")
    assert "own" not in found["forms"]
    assert "No result is recorded" in patient.page("changes")
    assert "No result is recorded" in patient.page("transcript")
    name, data = patient.download("anthropic")
    assert name == "chat.anthropic.json"
    assert b"No result is recorded" in data


def test_a_sound_file_that_is_read_only_is_taken_along_as_it_is() -> None:
    found = report(json.dumps([{"type": "human", "data": {"content": "Rome?"}}]))
    assert (found["kind"], found["forms"][0], found["unwritten"]) == ("langchain", "own", "")


def test_where_no_repair_helps_the_clinic_says_what_to_do() -> None:
    found = report("contents must not be empty")["explained"][0]
    assert found["instead"] == "no repair of the list helps: an empty history has nothing to send."
    assert report("messages: text content blocks must be non-empty")["explained"][0]["instead"] == ""


def test_the_error_that_a_page_has_as_its_example_is_explained_by_its_own_rule() -> None:
    pages = ((DOCS / name).read_text(encoding="utf-8") for name in ("clinic/index.html", "how-to/my-400.md"))
    examples = [error for page in pages for error in re.findall(r"""messages\.\d: [^"'\n]*toolu_01""", page)]
    assert len(examples) == 2
    for error in examples:
        assert report(error.replace("\\", ""))["explained"][0]["rule"] == "AN-C1"
