"""Exports of chats on the web: branches, searches, files, and entries that nobody knows."""

from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, QUESTION, told, value

from message_history.formats.reading import session_in
from other_formats.samples.deepseek_export import DEEPSEEK_EXPORT
from other_formats.samples.grok_export import GROK_EXPORT

TALK = [("user", QUESTION), ("assistant", ANSWER)]


def deepseek(*fragments: Any, files: Any = None) -> dict[str, Any]:
    (export,) = DEEPSEEK_EXPORT
    mapping = dict(export["mapping"])
    node = {"id": "3", "parent": "2", "children": [], "message": {"fragments": list(fragments), "files": files}}
    return {**export, "mapping": {**mapping, "3": node}}


def grok(*responses: Any) -> dict[str, Any]:
    (first, *_) = GROK_EXPORT["conversations"]
    return {"conversations": [{**first, "responses": [{"response": each} for each in responses]}]}


def test_searches_of_deepseek_are_counted_and_unknown_fragments_noted() -> None:
    odd = [{"type": "TEMPLATE_RESPONSE", "content": "words"}, "odd", {"type": "SEARCH", "content": "words"}]
    export = deepseek({"type": "SEARCH", "results": []}, {"type": "TOOL_OPEN"}, *odd, files=[{"file_name": "a.txt"}])
    empty = {"id": "e", "mapping": {"root": {"id": "root", "parent": None, "children": [], "message": None}}}
    session = session_in(value([export, empty, {"id": "t"}]))
    conversation, other = session.conversations
    assert told(other.history()) == []
    assert told(conversation.history()) == [*TALK, ("user", "[attached: a.txt]")]
    assert (conversation.omitted, len(session.unread)) == ((("searches and pages", 2),), 4)


def test_the_newest_branch_of_an_export_is_read_and_the_others_are_counted() -> None:
    (conversation,) = session_in(value(GROK_EXPORT)).conversations
    assert (told(conversation.history()), conversation.omitted) == (TALK, (("messages on another branch", 1),))
    export = deepseek({"type": "REQUEST", "content": "Rewound."})
    export["mapping"]["4"] = {**export["mapping"].pop("3"), "id": "4", "parent": "1"}
    export["mapping"]["4"]["message"]["fragments"] = [{"type": "RESPONSE", "content": "Another."}]
    (conversation,) = session_in(value([export])).conversations
    assert told(conversation.history()) == [("user", QUESTION), ("assistant", "Another.")]
    assert conversation.omitted == (("messages on another branch", 1),)


def test_responses_of_grok_without_parents_are_read_in_their_order() -> None:
    steps = {"steps": [{}, {}], "agent_thinking_traces": [{}], "error": "Failed to respond."}
    responses = [
        {"_id": "1", "sender": "human", "message": QUESTION, "file_attachments": ["f1"]},
        {"_id": "2", "sender": "assistant", "message": ANSWER, "generated_image_urls": ["a.png"], **steps},
        {"sender": "human"},
    ]
    export = grok(*responses)
    export["conversations"] += [{"conversation": {"id": "t"}, "responses": []}, "odd"]
    session = session_in(value(export))
    main, other = session.conversations
    assert told(main.history()) == [
        ("user", QUESTION),
        ("user", "[attached: f1]"),
        ("assistant", ANSWER),
        ("assistant", "[image: a.png]"),
    ]
    assert main.omitted == (("errors of replies", 1), ("steps of tools", 2), ("thinking of other agents", 1))
    assert (other.label, told(other.history()), len(session.unread)) == ("conversation 2", [], 2)
