"""A list that no program is known by is written only when all of it is certainly a provider's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.formats.story import ANSWER, QUESTION, told, value

from message_history.cli.app import app
from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in

if TYPE_CHECKING:
    from pathlib import Path

from tests.formats.test_general_lists import PAIRS


@pytest.mark.parametrize("role", ["apiMessage", "bot", "ai", "Oracle"])
def test_words_of_an_assistant_under_another_role_never_become_the_user_s(role: str, tmp_path: Path) -> None:
    content = value([{"role": "user", "content": QUESTION}, {"role": role, "content": ANSWER}])
    file = tmp_path / "a.json"
    file.write_bytes(content)
    CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (content, [file])
    if role == "Oracle":
        with pytest.raises(NotRecognisedError, match="no dialect knows the role 'Oracle' of entry 1"):
            session_in(content)
    else:
        (conversation,) = session_in(content).conversations
        assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER)]


def test_a_list_of_chats_of_which_each_is_a_list_is_read() -> None:
    chat = [{"from": "human", "content": QUESTION}, {"from": "bot", "content": ANSWER}]
    for each in session_in(value([chat, chat])).conversations:
        assert told(each.history()) == [("user", QUESTION), ("assistant", ANSWER)]


def test_keys_of_a_chat_that_are_no_content_are_counted() -> None:
    chat = [{"sender": "human", "text": QUESTION, "at": "t"}, {"sender": "bot", "text": ANSWER, "mood": "fine"}]
    (conversation,) = session_in(value({"id": "s", "title": "A file", "messages": chat})).conversations
    assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER)]
    assert (conversation.origin.id, conversation.origin.title) == ("s", "A file")
    assert conversation.omitted == (("keys of messages: at", 1), ("keys of messages: mood", 1))


def test_the_history_of_cohere_s_first_api_is_read() -> None:
    chat = [{"role": "USER", "message": QUESTION}, {"role": "CHATBOT", "message": ANSWER}]
    (conversation,) = session_in(value(chat)).conversations
    assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER)]


@pytest.mark.parametrize("whole", [PAIRS, [PAIRS, PAIRS], {"messages": PAIRS}, [{"messages": PAIRS}]])
def test_pairs_of_a_role_and_a_text_are_messages(whole: Any) -> None:
    session = session_in(value(whole))
    assert (session.format.name, session.unread) == ("other-roles", ())
    for conversation in session.conversations:
        assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER)]
