"""Errors of other software, which speaks of roles, messages and images too, are told from those of models' APIs."""

from __future__ import annotations

import pytest

from message_history.dialects import Gemini, Portable
from message_history.dialects.registry import DIALECTS
from message_history.explaining import cause_of, explain, subject_of
from message_history.explaining.known import own_rules, rule_causes, rule_topics


@pytest.mark.parametrize(
    "text",
    [
        "{\"detail\": \"role must be 'user' or 'owner'\"}",
        "Unsupported role: nurse",
        "Summary, slug and content are required",
        "Review message cannot be empty.",
        "UploadException: Unsupported file type",
        '{"error": "image_url must be a valid HTTPS address"}',
        "This thread is locked.",
        "Error: WriteNotes.input.notes[4].content must not be empty",
        "Too many messages sent from here, try again tomorrow",
        "415 Unsupported Media Type",
        '{"status": "error", "message": "Invalid base64 content: wrong padding"}',
        "The system prompt must be no less than 20 characters long",
    ],
)
def test_words_that_other_software_says_of_its_users_and_uploads_are_not_guessed_at(text: str) -> None:
    assert explain(text) == []


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("invalid_request_error: image_url must be a valid HTTPS address", "media"),
        ("messages[2]: image_url must be a valid HTTPS address", "media"),
        ("400 - Content of message 7 must not be blank", "empty and absent content"),
        ("the assistant's role is unsupported here", "roles and turns"),
    ],
)
def test_the_same_words_beside_one_of_models_have_a_topic(text: str, topic: str) -> None:
    assert f"about {topic}." in explain(text)[0].rule.rule


def test_the_same_words_have_a_topic_where_the_api_is_known() -> None:
    assert "about media." in explain("Unsupported file type", Gemini())[0].rule.rule


def test_what_a_template_raises_counts_and_its_other_lines_do_not() -> None:
    lines = "{%- set thinking = (content.split('</think>')|first) %}\n{%- set reasoning_content = missing %}"
    assert explain(f"Value is not callable: null at row 9, column 7:\n{lines}\n ^") == []
    raised = "{{- raise_exception('System message must be at the beginning.') }}"
    assert explain(f"While executing CallExpression at line 9:\n{lines}\n{raised}")[0].rule.id == "HF-04"


def test_a_role_is_the_place_where_calls_without_results_are_reported() -> None:
    text = '{"param": "messages[2].role", "message": "tool_calls have to be followed by each matching tool result"}'
    assert "about calls and results." in explain(text)[0].rule.rule
    assert "about roles and turns." in explain("messages[2].role is not allowed here")[0].rule.rule


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The last message must be one of the user, or a result of a tool call.", "how the list ends"),
        ("ArgumentException: Unsupported ChatRole: system", "the system prompt"),
        ("ArgumentException: Unsupported ChatRole: critic", "roles and turns"),
        ("messages: Input should be a valid list with at least 1 item.", "the list"),
        ("IllegalArgumentException: messages must be a non-empty array.", "the list"),
        ("Invalid parameter: 'messages' has to hold, and must contain, at least one message", "the list"),
        ("messages[3].content: must not mix tool_use and other blocks", "calls and results"),
        ("A valid user message is required.", "roles and turns"),
        ("error: assistant message must contain 'content' or 'reasoning'", "empty and absent content"),
    ],
)
def test_a_sentence_that_says_what_is_wanted_tells_its_topic(text: str, topic: str) -> None:
    assert f"about {topic}." in explain(text)[0].rule.rule


def test_a_field_at_the_top_of_the_request_is_not_in_the_list() -> None:
    text = 'Invalid JSON payload received. Unknown name "{}": Cannot find field.'
    assert explain(text.format("systemInstruction")) == []
    assert subject_of(text.format("systemInstruction")) is not None
    text = "Invalid JSON payload received. Unknown name \"badge\" at 'contents[2].parts[0]': Cannot find field."
    assert explain(text)[0].rule.id == "GM-G22"


def test_a_list_without_a_user_is_not_an_empty_one() -> None:
    assert explain("at least one user message is required")[0].rule.id == "HF-05"
    assert explain("messages: at least one message is required")[0].rule.id == "AN-A1"


def test_a_list_of_gemini_is_told_from_the_parts_of_a_message() -> None:
    assert explain("client: contents must not be empty")[0].rule.id == "GM-G01"
    assert explain("contents.parts must not be empty.")[0].rule.id == "GM-G02"


def test_the_reference_that_a_cloud_writes_behind_an_error_tells_whose_it_is() -> None:
    text = "Input should be a valid string"
    assert explain(text) == []
    assert explain(f"{text} (ref: 1c6a-4f2e)")[0].rule.id == "EX-69"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("messages.3: all messages must have non-empty content except for the optional final assistant", "was empty"),
        ("messages: at least one message is required", "Only a system prompt was left"),
        ("Requests which include `tool_use` or `tool_result` blocks must define tools", "without the tools"),
        ("Unexpected role 'user' after role 'tool'", "right behind a tool's result"),
        ("This model only supports single tool-calls at once!", "several calls at once"),
        ("Tool call IDs should be alphanumeric strings with length 9!", "made with one provider"),
    ],
)
def test_the_usual_cause_is_that_of_the_rule_whatever_words_its_text_has(text: str, cause: str) -> None:
    assert cause in cause_of(explain(text)[0])


def test_every_rule_with_a_topic_or_a_cause_of_its_own_is_one_of_a_dialect() -> None:
    rules = {(name, rule.id) for name, dialect in DIALECTS.items() for rule in dialect.rules}
    assert set(rule_topics()) <= rules
    assert set(rule_causes()) <= {id for _, id in rules} | {rule.id for _, rule in own_rules()}


def test_a_service_that_only_says_that_messages_are_illegal_is_not_explained_with_certainty() -> None:
    text = '{"code": 20015, "message": "\\"messages\\" in request are illegal.", "data": null}; retrying 1/5'
    first = explain(text)[0]
    assert (first.rule.id, cause_of(first)) == ("EX-87", "")
    assert first.score < 0.5


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Item 'msg_06' of type 'message' was provided w...", "OR-07"),
        ('{"message":"messages.17.content.0: If an assistant message co...', "AN-T3"),
        ("litellm.BadRequestError: OpenAIException - Invalid 'messages[234]'. Image URLs are…", "OC-15"),
        ("ValueError: No user q...", "HF-05"),
        ("an error occurred when calling the ConverseStream operation: The text f...", "BR-B05"),
    ],
)
def test_a_text_that_was_cut_off_early_is_told_by_how_it_begins(text: str, rule: str) -> None:
    first = explain(text)[0]
    assert (first.rule.id, first.score) == (rule, 0.5)


@pytest.mark.parametrize(
    "text",
    [
        "Invalid value: 'x'. Supported values are: ...",
        "something went wrong: The ...",
        '{"type":"error","error":{"type":"invalid_request_error","message":"messages.4.content.1:...',
        "This request would exceed the rate l...",
    ],
)
def test_a_beginning_that_many_texts_have_says_nothing(text: str) -> None:
    assert explain(text) == []


def test_a_beginning_that_was_copied_leads_to_its_rule_before_its_topic() -> None:
    assert explain("messages.5: `tool_use` ids were found without `tool_result` blocks")[0].rule.id == "AN-C1"


def test_portable_is_not_named_for_a_beginning_unless_it_is_asked_for() -> None:
    assert {one.dialect for one in explain("No user q...")} == {"openai_chat"}
    assert "portable" in {one.dialect for one in explain("No user q...", Portable())}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("messages.2.content.1.document.source: Input tag 'file' found using 'type' does not match any of the expected "
         "tags: 'base64', 'content', 'text', 'url'", "EX-89"),
        ("messages.4.content.0.tool_result.content.0.image.source: Input tag 'file' found using 'type' does not match "
         "any of the expected tags: 'base64', 'url'", "EX-89"),
        ("messages.2.content.1.image.source: Input tag 'image' found using 'type' does not match any of the expected "
         "tags: 'base64', 'url', 'file'", "AN-B6"),
        ("Invalid JSON payload received. Unknown name \"mediaResolution\" at 'contents[0].parts[1]': Cannot find "
         "field.", "EX-88"),
    ],
)  # fmt: skip
def test_what_a_header_or_a_version_of_the_api_decides_is_no_fault_of_the_list(text: str, rule: str) -> None:
    first = explain(text)[0]
    assert first.rule.id == rule
    assert first.rule.repair.startswith(("Nothing", "None")) == rule.startswith("EX")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Failed to deserialize the JSON body into the target type: messages[4].role: unknown variant `ipython`, "
         "expected `user` or `assistant` at line 1 column 70", "roles and turns"),
        ("Value at 'messages.3.member.content.2.member.reasoningContent.reasoningText.text' failed to satisfy "
         "constraint: Member must satisfy regular expression", "thinking"),
    ],
)  # fmt: skip
def test_a_place_says_more_than_the_words_that_all_errors_of_an_api_have(text: str, topic: str) -> None:
    first = explain(text)[0]
    assert f"about {topic}." in first.rule.rule or topic in rule_topics()[first.dialect, first.rule.id]


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("400: image URLs aren't currently allowed for this model", "media"),
        ("400: an image URL can not be used with this model", "media"),
        ("400: user turns of this model may not also have tool calls", "calls and results"),
    ],
)
def test_contractions_and_asides_are_understood(text: str, topic: str) -> None:
    assert f"about {topic}." in explain(text)[0].rule.rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"title": "Bad Request", "detail": "System role not supported"}', "HF-03"),
        ('{"status": 400, "title": "Bad Request", "detail": "System role not supported"}', "HF-03"),
        ("Expected an ID that begins with 'fc'", "OR-12"),
        ("400: Expected an ID that begins with 'msg'.", "OR-12"),
    ],
)
def test_the_short_words_of_a_rule_lead_to_it_in_a_body_without_a_word_of_models(text: str, rule: str) -> None:
    first = explain(text)[0]
    assert first.rule.id == rule
    assert first.score > 0.75


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("RateLimitError: 429", "load"),
        ("openai.RateLimitError: 429", "load"),
        ("'NoneType' object has no attribute 'content'", "the program"),
        ("AttributeError: 'NoneType' object has no attribute 'content'", "the program"),
    ],
)
def test_what_an_exception_says_of_load_and_of_the_program_is_not_about_the_list(text: str, subject: str) -> None:
    assert explain(text) == []
    found = subject_of(text)
    assert found is not None
    assert found.name == subject
