"""Hypothesis knows how to make a history as soon as the package is installed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, check
from message_history.dialects import Anthropic, Native, OpenAIChat
from message_history.integrations.hypothesis_plugin import register
from message_history.integrations.strategies import broken_lists, histories, messages

if TYPE_CHECKING:
    from pathlib import Path

register()


@pytest.mark.heavy
def test_a_fresh_process_makes_histories_without_importing_the_strategies(tmp_path: Path) -> None:
    """Only the installed package's entry point can have told Hypothesis."""
    script = tmp_path / "fresh.py"
    script.write_text(
        "import logging, sys\n"
        "from hypothesis import given, settings, strategies as st\n"
        "assert 'message_history.integrations.strategies' not in sys.modules\n"
        "from message_history import Message, MessageHistory\n"
        "logging.disable()\n"
        "seen = []\n"
        "@settings(max_examples=50, database=None, derandomize=True)\n"
        "@given(st.from_type(MessageHistory), st.from_type(Message))\n"
        "def test(history, message):\n"
        "    seen.append(history.add(message))\n"
        "test()\n"
        "assert all(type(history) is MessageHistory for history in seen)\n"
        "print(len({len(history) for history in seen}) > 3, any(history.repairs for history in seen))\n"
    )
    ran = subprocess.run([sys.executable, str(script)], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("True True\n", "")


@pytest.mark.heavy
@pytest.mark.parametrize("first", ["hypothesis", "message_history.integrations.strategies", "message_history"])
def test_either_may_be_imported_first(first: str, tmp_path: Path) -> None:
    code = f"import {first}, message_history.integrations.strategies, hypothesis"
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], check=False, capture_output=True, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_the_types_have_their_strategies() -> None:
    assert find(st.from_type(MessageHistory), lambda history: len(history) > 1)
    assert find(st.from_type(Message), lambda message: message.role == "assistant").role == "assistant"
    assert find(st.from_type(list[MessageHistory]), lambda all_of_them: len(all_of_them) > 1)


@given(histories(), messages())
def test_what_a_user_would_test_holds(history: MessageHistory, message: Message) -> None:
    assert check(history.add(message).as_sent().to_list(), Native()) == []


@given(broken_lists(OpenAIChat()))
def test_broken_lists_are_mended(raw: list[object]) -> None:
    dialect = OpenAIChat()
    history = MessageHistory.from_list(raw, dialect=dialect)
    assert check(history.for_send(dialect), dialect) == [] or not history


@pytest.mark.heavy
@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat()], ids=lambda dialect: str(dialect.name))
def test_broken_lists_are_broken(dialect: Anthropic | OpenAIChat) -> None:
    assert find(broken_lists(dialect), lambda raw: bool(raw) and bool(check(raw, dialect)))
