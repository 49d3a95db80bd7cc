"""A history in a notebook."""

from __future__ import annotations

import html
import re

from message_history import MessageHistory, ToolUseBlock


def shown(history: MessageHistory) -> str:
    frame = history._repr_html_()
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="" width="100%" height="480"></iframe>', frame, re.DOTALL)
    assert found is not None, frame[:200]
    return html.unescape(found[1])


def test_a_notebook_shows_a_history_as_a_page() -> None:
    history = MessageHistory().with_system("Be brief.").add_user("<b>Hi</b>").add_assistant(ToolUseBlock("1", "f", {}))
    page = shown(history.add_tool_result("1", "x & y").add_assistant("Hello."))
    assert page.startswith("<!DOCTYPE html>")
    assert all(text in page for text in ("Be brief.", "&lt;b&gt;Hi&lt;/b&gt;", "x &amp; y", "Hello.", "4 messages"))


def test_it_shows_what_was_repaired_and_no_more_than_the_newest_messages() -> None:
    raw = [{"role": "user", "content": "first"}, {"role": "user", "content": ""}, {"role": "assistant", "content": "a"}]
    assert "blank" in shown(MessageHistory.from_list(raw)).lower()
    history = MessageHistory.from_list(
        [{"role": ("user", "assistant")[n % 2], "content": f"t{n}."} for n in range(300)]
    )
    page = shown(history)
    assert ("t199." in page, "t200." in page, "t299." in page) == (False, True, True)
    assert "No message" in shown(MessageHistory())
