"""Texts of rules that any program says too are not a certain find: what stands around them tells whose they are."""

from __future__ import annotations

import pytest

from message_history.dialects import OpenAIChat, OpenAIResponses
from message_history.explaining import explain, subject_of

EVERYDAY = [
    ("Conversation not found", "EX-03"),
    ("Invalid role: nurse", "OL-06"),
    ("invalid message format", "OL-04"),
    ("Could not process image", "AN-M6"),
    ("Timeout while downloading https://b.c/d.png.", "EX-59"),
]


@pytest.mark.parametrize(("text", "rule"), EVERYDAY)
def test_alone_it_may_be_a_providers(text: str, rule: str) -> None:
    for around in ("{}", "HTTP 400 Bad Request: {}", '{{"error": "{}"}}'):
        (only,) = explain(around.format(text))
        assert only.rule.id == rule, around
        assert only.score < 0.5


@pytest.mark.parametrize(("text", "rule"), EVERYDAY)
def test_beside_words_of_another_program_it_is_not(text: str, rule: str) -> None:
    assert rule
    for around in ("OrderForm: {} at checkout", '{{"success": false, "detail": "{}"}}'):
        assert explain(around.format(text)) == [], around


@pytest.mark.parametrize(("text", "rule"), EVERYDAY)
def test_in_the_envelope_of_a_models_api_it_is_certain(text: str, rule: str) -> None:
    for around in (
        '{{"error": {{"message": "{}", "type": "invalid_request_error"}}}}',
        '{{"error": {{"message": "{}", "param": null, "code": null}}}}',
        '{{"object": "error", "message": "{}"}}',
        '{{"error": {{"message": "{}", "type": "x", "param": ""}}}}',
        "litellm.BadRequest: {}",
        "Read image (34KB)\n  API Error: 400 {}",
        '│ {{"type":"error","error":{{"type":"invalid_req │\n│ uest_error","message":"{}"}}}} │',
    ):
        first = explain(around.format(text))[0]
        assert first.rule.id == rule, around
        assert first.score > 0.5


def test_where_the_api_is_known_it_is_certain() -> None:
    assert explain("Order 7: Conversation not found", OpenAIResponses())[0].score > 0.5
    assert explain("Invalid role: nurse", OpenAIChat())[0].score > 0.5


@pytest.mark.parametrize(
    "text",
    [
        '{"detail": [{"loc": ["body", "content"], "msg": "field required", "type": "value_error.missing"}]}',
        '{"issues": [{"kind": "form", "msg": "Content may not be empty", "path": "content", "place": "body"}]}',
        "error TS2322: Type '{ role: string; content: null; }' is not assignable to type 'Note'.",
        "error[E0308]: mismatched types: expected `Role`, found `&str` in messages",
        "GraphQL: Cannot return null for non-nullable field Mailbox.messages",
        "publish failed: one of the messages is empty",
        "No messages found",
        "Template parts: content is missing",
        "MCP error -32602: Tool 'look_up' not found",
        "Tool 'search_all' not found",
        "My new avatar must be a base64 encoded image.",
        "Some of the messages cannot be empty in this mailbox",
        '{"reason": "Unknown role", "message": "Role should be one of: reader, writer"}',
        "Broken transaction: messages must be a list",
        "1 validation error for Answer\nrole\n  Input was not 'assistant', 'user' or 'function'",
    ],
)
def test_forms_compilers_queues_and_uploads_are_left_alone(text: str) -> None:
    assert explain(text) == []


def test_a_tool_that_a_server_does_not_have_is_about_tools() -> None:
    found = subject_of("MCP error -32602: Tool 'look_up' not found")
    assert found is not None
    assert found.name == "tools"


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("the messages or prompt must not be both null", "the list"),
        ("messages is required", "the list"),
        ("Params body.messages illegal", "the list"),
        ("The last message must be the customer's", "how the list ends"),
        ('{"message": "Invalid input", "type": "invalid_request_error", "param": "input"}', "the form of content"),
        ("multimodal: the data URI of a jpeg could not be decoded: failed", "media"),
        ('{"error": {"message": "image url is unreachable", "param": null}}', "media"),
        ("422: Input should be 'tool', 'user' or 'assistant'", "roles and turns"),
        ("Unsupported part in a ChatMessage: {'a': 1}", "the form of content"),
        ('{"detail": [{"loc": ["body", "messages", 3, "role"], "msg": "field required"}]}', "roles and turns"),
    ],
)
def test_words_of_a_list_have_their_topic(text: str, topic: str) -> None:
    assert f"about {topic}." in explain(text)[0].rule.rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Error code: 400 - {'error': \"'url' field must be a base64 encoded image.\"}", "EX-58"),
        ('{"errors":[{"message":"AiError: AiError: Invalid data for image - reason invalid base64 enc', "EX-58"),
        ("Error code: 400 - {'code': 'x', 'message': \"'data:x/png;base64,iV' is not a valid absolute URI\"}", "EX-58"),
        ("BadRequest: Only inline image data URLs and S3 URLs are supported", "EX-58"),
        ("llm: This model does not support attachments", "EX-57"),
        ("[1214] prompt 参数非法。请检查文档。", "EX-10"),
        ("too many images and documents: 3 + 19 > 20", "AN-M4"),
        ("bad request: messages[7] 角色为 'tool' 时必须提供 'tool_call_id'", "OC-19"),
        ("ValidationException: The text in content block cannot be null or empty.", "BR-B05"),
    ],
)  # fmt: skip
def test_what_providers_say_of_images_and_prompts(text: str, rule: str) -> None:
    assert explain(text)[0].rule.id == rule


def test_a_rule_and_a_topic_that_disagree_are_both_doubtful() -> None:
    found = explain("Invalid message content: only messages with 'type=text' are supported currently.")
    assert [one.rule.id for one in found][:2] == ["EX-82", "OL-02"]
    assert max(one.score for one in found) <= 0.5
