"""Conversations as pages: everything is there, nothing of it is run, and what was wrong stands where it was."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import RepairCode
from message_history.core.messages.repairs import Severity
from message_history.files.files import read_bytes
from message_history.formats.reading import session_in
from message_history.markup import element, text
from message_history.words import SEVERITIES, TITLES
from message_history_pages import changes_page, transcript_page
from message_history_pages.comparing import compare
from message_history_pages.positions import positions
from paged.reading import Page

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style></title></textarea><img src=x onerror=alert(1)>",
    '" onmouseover=alert(1) x="',
    "' autofocus onfocus='alert(1)",
    "javascript:alert(1)",
    "<svg/onload=alert(1)>",
    "<!-- --><iframe srcdoc='<script>alert(1)</script>'>",
    "&lt;b&gt; &amp;quot; &#x27;",
    "]]>{{7*7}}${7*7}`",
    "\u202egnp.exe\x00\x1b[31m\ud800",
]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def transcript(entries: list[Any], **others: Any) -> Page:
    session = session_in(json.dumps({**others, "messages": entries} if others else entries).encode())
    (conversation,) = session.conversations
    return Page(transcript_page("name", conversation.file, conversation.violations(), dialect=conversation.known))


def changes(entries: list[Any]) -> Page:
    session = session_in(json.dumps(entries).encode())
    (before,) = session.conversations
    repaired = session.repair_file()
    (after,) = repaired.after.conversations
    return Page(changes_page("name", before.file, after.file, before.violations(), dict(repaired.repairs)[""]))


def call(id: str, name: str = "read", input: Any = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": input or {}}


def result(id: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def everywhere(hostile: str) -> list[Any]:
    """Put one text in every place of a conversation that is shown."""
    return [
        {"role": "assistant", "content": [call(hostile, hostile, {hostile: hostile, "deep": {hostile: [hostile]}})]},
        {"role": "user", "content": [result(hostile, hostile), result(hostile + "x", hostile)]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": hostile, "signature": hostile},
                {"type": "redacted_thinking", "data": hostile},
                {"type": hostile, hostile: hostile},
                {"type": "text", "text": hostile},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": hostile, "data": hostile}},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": hostile}},
                {"type": "image", "source": {"type": "url", "url": hostile}},
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": hostile, "data": hostile},
                    "title": hostile,
                },
            ],
        },
        {"role": hostile, "content": hostile},
        {"role": "user", "content": hostile, hostile: hostile},
        hostile,
        {"role": "assistant", "content": hostile * 2_000},
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("make", [transcript, changes])
def test_nothing_in_a_conversation_becomes_a_part_of_the_page(make: Any, hostile: str) -> None:
    page, harmless = make(everywhere(hostile)), make(everywhere("harmless"))
    kinds = {(each.tag, name) for each in page.elements for name in (*each.attributes, "")}
    assert kinds <= {(each.tag, name) for each in harmless.elements for name in (*each.attributes, "")} | {
        *(("span", name) for name in ("", "class")),
        *((tag, name) for tag in ("details", "summary") for name in ("", "class")),
        *(("dl", name) for name in ("", "class")),
        ("dt", ""),
        ("dd", ""),
    }
    assert [each.tag for each in page.elements].count("script") == 1
    assert page.raw == harmless.raw
    values = [(name, value) for each in page.elements for name, value in each.attributes.items()]
    assert [
        value for name, value in values if name in ("href", "src") and not re.match(r"#m\d+$|data:image/png;", value)
    ] == []
    assert [name for name, _ in values if name.startswith("on") or name in ("style", "srcdoc", "action")] == []


@pytest.mark.parametrize("hostile", HOSTILE[:-1])
def test_what_is_escaped_is_shown_as_it_was_written(hostile: str) -> None:
    page = transcript([{"role": "user", "content": hostile}])
    assert hostile in page.text_in["m0"]


def test_characters_that_would_hide_or_turn_text_are_shown_as_escapes() -> None:
    page = transcript([{"role": "user", "content": HOSTILE[-1]}])
    assert r"\u202egnp.exe\x00\x1b[31m\ud800" in page.text_in["m0"]


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs"])))
def test_any_text_in_an_element_and_an_attribute_is_that_text_again(value: str) -> None:
    page = Page(element("p", value, id="p", title=value).encode())
    assert page.text_in.get("p", "") == value
    assert page.elements[0].attributes["title"] == value
    assert [each.tag for each in page.elements] == ["p"]
    assert text(text(value)) == text(value)


def test_a_page_may_run_its_own_script_and_load_nothing() -> None:
    page = transcript([{"role": "user", "content": "Hi"}])
    (policy,) = [
        each.attributes["content"]
        for each in page.elements
        if each.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    hashes = {name: b64encode(sha256(page.raw[name].encode()).digest()).decode() for name in ("script", "style")}
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes['script']}'; style-src 'sha256-{hashes['style']}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    # The policy holds for what comes after it.
    assert [each.tag for each in page.elements[:4]] == ["html", "head", "meta", "meta"]
    assert "http" not in "".join(page.raw.values())
    assert [each.tag for each in page.elements if each.tag in ("link", "iframe", "object", "base")] == []


def test_every_text_is_on_the_page_and_a_result_stands_with_its_call() -> None:
    page = transcript(
        [
            {"role": "user", "content": [{"type": "text", "text": "Read both."}]},
            {
                "role": "assistant",
                "content": [call("a", "read", {"path": "a.txt"}), call("b", "read", {"path": "b.txt"})],
            },
            {
                "role": "user",
                "content": [result("a", "alpha " * 2_000), result("b", "beta"), {"type": "text", "text": "So?"}],
            },
            {"role": "assistant", "content": "Both."},
        ],
        system="Be brief.",
    )
    assert "Be brief." in page.text
    assert "Read both." in page.text_in["m0"]
    for shown in ("a.txt", "b.txt", "alpha " * 2_000, "beta"):
        assert shown in page.text_in["m1"]
    assert "beta" not in page.text_in["m2"]
    assert "2 results, shown with their calls" in page.text_in["m2"]
    assert "So?" in page.text_in["m2"]
    assert "Both." in page.text_in["m3"]
    assert len(page.of_class("call")) == 2
    assert len(page.of_class("note")) == 0
    assert len(page.of_class("sound")) == 1


def test_what_was_wrong_stands_in_the_message_where_it_was_with_the_words_of_the_provider() -> None:
    page = transcript(
        [
            {"role": "user", "content": [{"type": "text", "text": "Read."}, {"type": "text", "text": ""}]},
            {"role": "assistant", "content": [call("a")]},
            {"role": "user", "content": "Well?"},
            {"role": "assistant", "content": "Wait."},
            {"role": "user", "content": [result("gone", "three files"), {"type": "text", "text": "Go on."}]},
        ]
    )
    assert "Removed blank text" in page.text_in["m0"]
    assert "text content blocks must" in page.text_in["m0"]
    assert "messages.1: " in page.text_in["m1"]
    assert "`tool_use` ids were" in page.text_in["m1"]
    assert "Added a stub for a call without a result" in page.text_in["m2"]
    assert "entry 1" in page.text_in["m2"]
    assert "Removed a result that answers no call" in page.text_in["m4"]
    assert "three files" in page.text_in["m4"]
    notes = [(each.inside[-1], each.attributes["class"]) for each in page.of_class("note")]
    assert {where for where, _ in notes} == {"m0", "m1", "m2", "m4"}
    assert {kind for where, kind in notes if where == "m4"} == {"note violation", "note repair lossy"}
    assert [each.attributes["id"] for each in page.of_class("marked")] == ["m0", "m1", "m2", "m4"]
    assert [each.attributes["href"] for each in page.elements if each.tag == "a"][:4] == ["#m0", "#m1", "#m2", "#m4"]


def test_a_picture_is_shown_and_nothing_is_loaded_for_one() -> None:
    def image(source: dict[str, Any]) -> list[Any]:
        page = transcript([{"role": "user", "content": [{"type": "image", "source": source}]}])
        return [(each.attributes["src"]) for each in page.elements if each.tag == "img"]

    assert image({"type": "base64", "media_type": "image/png", "data": PNG}) == [f"data:image/png;base64,{PNG}"]
    assert image({"type": "base64", "media_type": "image/svg+xml", "data": PNG}) == []
    assert image({"type": "base64", "media_type": "image/png", "data": "no base64!"}) == []
    assert image({"type": "url", "url": "https://example.org/a.png"}) == []


def test_lines_that_could_not_be_read_are_shown() -> None:
    file = read_bytes(b'{"role": "user", "content": "Hi"}\n{"role": "assis <b>\n')
    page = Page(transcript_page("name", file, []))
    assert "line 2" in page.text
    assert '{"role": "assis <b>' in page.text
    assert "1 line skipped" in page.text


ODD: list[list[Any]] = [
    [],
    [None, 3, "x", [], {}],
    [{"role": "user"}, {"role": "assistant", "content": None}, {"content": "x"}],
    [{"role": "user", "content": [[], 3, None, {"type": None}, {"type": "text"}, {"type": "image", "source": 3}]}],
    [{"role": "assistant", "content": [call("a"), call("a"), call("", "", None)]}],
    [{"role": "user", "content": json.loads("[" * 400 + "]" * 400)}],
]


@pytest.mark.parametrize("entries", ODD)
def test_any_list_can_be_shown(entries: list[Any]) -> None:
    file = read_bytes(json.dumps(entries).encode())
    assert "name" in Page(transcript_page("name", file, [])).text
    assert "name" in Page(changes_page("name", file, file, [], [])).text


def test_what_changed_is_shown_before_and_after_with_the_reason() -> None:
    same = [
        entry
        for n in range(50)
        for entry in ({"role": "user", "content": f"Question {n}"}, {"role": "assistant", "content": f"Answer {n}"})
    ]
    page = changes(
        [
            *same,
            {"role": "user", "content": "Read."},
            {"role": "assistant", "content": [call("a")]},
            {"role": "user", "content": "Well?"},
        ]
    )
    assert "101 entries are as they were" in page.text
    assert "Question 7" not in page.text
    assert "the provider answers" in page.text
    assert "Added a stub for a call without a result" in page.text
    assert '"Well?"' in page.text
    assert "The tool may or may not have run" in page.text
    assert "Nothing was changed." not in page.text
    assert "Nothing was changed." in changes(same).text


@given(st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)))
def test_a_comparison_covers_both_lists_and_what_it_calls_the_same_is(old: list[int], new: list[int]) -> None:
    one, other = [list(map(str, values)) for values in (old, new)]
    parts = list(compare(one, other))
    assert [entry for part in parts for entry in one[slice(*part.before)]] == one
    assert [entry for part in parts for entry in other[slice(*part.after)]] == other
    assert all(one[slice(*part.before)] == other[slice(*part.after)] for part in parts if part.same)
    assert all(part.before[0] < part.before[1] or part.after[0] < part.after[1] for part in parts)
    if one == other:
        assert all(part.same for part in parts)


def test_a_comparison_finds_what_was_put_in_and_taken_out() -> None:
    old = [f"entry {n}" for n in range(2_000)]
    new = [*old[:500], "new", *old[500:1_500], *old[1_501:]]
    assert [part for part in compare(old, new) if not part.same] == [
        (False, (500, 500), (500, 501)),
        (False, (1_500, 1_501), (1_501, 1_501)),
    ]


def test_entries_are_found_in_the_messages_that_they_became() -> None:
    entries: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "One."},
        {"role": "user", "content": "Two."},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "One."},
    ]
    file = read_bytes(json.dumps(entries).encode())
    history = file.history()
    assert [message.role for message in history] == ["user", "assistant", "user", "assistant", "user"]
    assert positions(file.entries, history) == [0, 1, 2, 2, 2, 3, 4]


def test_every_repair_has_its_words() -> None:
    assert set(TITLES) == set(RepairCode)
    assert set(SEVERITIES) == set(Severity)
