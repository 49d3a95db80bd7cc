"""What nobody sees is shown on pages: it is how prompts are hidden."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history.cli.printing import visible
from message_history.markup import element, text
from message_history_pages.markdown import markdown
from paged.reading import Page

HIDDEN = ["\U000e0041", "\U000e0001", "\u061c", "\xad", "\u2066", "\u200b", "\u202e", "\r"]


@pytest.mark.parametrize("character", HIDDEN)
def test_what_cannot_be_seen_is_shown_as_on_the_command_line(character: str) -> None:
    code = visible(f"a{character}b")[1:-1]
    assert code.startswith("\\")
    assert text(f"a{character}b") == f'a<span class="hidden-character">{code}</span>b'
    assert code in element("p", title=f"a{character}b")


def test_line_ends_and_what_joins_letters_stay() -> None:
    assert text("a\n\tb\u200dc\ufe0f") == "a\n\tb\u200dc\ufe0f"


def test_markdown_is_shown_as_what_it_means() -> None:
    shown = markdown("# Plan\nRun `pytest` **now**:\n```sh\npytest -q <x>\n```\nDone.")
    assert shown == (
        '<strong class="markdown-heading"># Plan</strong>\nRun <code class="markdown-code">`pytest`</code> '
        '<strong class="markdown-strong">**now**</strong>:\n'
        '<code class="markdown-fenced">```sh\npytest -q &lt;x&gt;\n```</code>\nDone.'
    )


@given(st.text("a`*# \n<&", max_size=60))
def test_no_character_of_markdown_is_lost(value: str) -> None:
    assert Page(markdown(value).encode()).text == value
