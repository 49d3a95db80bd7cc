"""Whatever is around a provider's error text, the rule behind it is found, and where a list breaks it."""

from __future__ import annotations

import html
import json
import re
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from message_history import check, explaining
from message_history.dialects import Anthropic, Bedrock, OpenAIChat, Portable
from message_history.dialects.registry import DIALECTS
from message_history.explaining import explain, rules_named, subject_of, where
from message_history.explaining.known import further_texts, own_rules, quoting_rules, subjects
from message_history.explaining.places import places_of
from message_history.explaining.topics import topics
from tests.campaigns.growth import PIECES_OF_TEXTS, explained, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.dialects._shared.rules import Rule
    from message_history.explaining import Subject

PLACE = re.compile(r"\{[a-z_]+\}")
NUMBERS = {"n", "m", "k", "count", "limit", "line", "column", "position", "before", "member", "pages", "most"}
VALUES = {
    "ids": ("toolu_01AbC9xYz", "call_k20FunjGZouIu7PaUIAHz2G6, call_2", "{'toolu_02', 'toolu_03'}", "bash-uOQIdN0O"),
    "role": ("assistant", "tool", "developer"),
    "tag": ("tool_use", "text", "image"),
    "key": ("id", "reasoning_content"),
    "model": ("deepseek-reasoner",),
    "kind": ("image_url", "function_call"),
    "name": ("web_search", "get_weather"),
    "tags": ("'text', 'image', 'tool_use'",),
}
# What other programs say too: it is an API's only where something beside it names models, or the dialect is known.
OF_OTHERS_TOO = {"Invalid signature"}
SUBJECTS = {error for subject in subjects() for error in subject.texts}
ERRORS = [
    (name, rule.id, error)
    for name, dialect in DIALECTS.items()
    for rule in dialect.rules
    for error in rule.errors
    if PLACE.sub("", error) and error not in SUBJECTS
]
EVERY_ERROR = pytest.mark.parametrize(("dialect", "rule", "error"), ERRORS)


def filled(error: str, turn: int) -> str:
    """Put values in the places of a rule's text, others in each turn."""

    def value(place: re.Match[str]) -> str:
        name = place[0][1:-1]
        choices = VALUES.get(name, ("something7",))
        return str((turn * 37 + len(name) * 11) % 211) if name in NUMBERS else choices[turn % len(choices)]

    return PLACE.sub(value, error)


def in_an_sdk_error(text: str) -> str:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": text}, "request_id": "req_011CSHo"}
    return f"Error code: 400 - {body!r}"


def in_a_traceback(text: str) -> str:
    return (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.12/site-packages/client/_base_client.py", line 1591, in request\n'
        "    raise self._make_status_error_from_response(err.response) from None\n"
        f"client.BadRequestError: {in_an_sdk_error(text)}\n"
    )


def in_json_in_json(text: str) -> str:
    inner = json.dumps({"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}})
    return f"proxy: BadRequest - {json.dumps({'error': inner})}, retries=2"


def in_a_box(text: str) -> str:
    """Break lines and colour them, as terminals do."""
    words = text.split(" ")
    lines = (" ".join(words[start : start + 6]) for start in range(0, len(words), 6))
    return "\n".join(f"\x1b[31m│\x1b[0m  {line:60} │" for line in lines)


def escaped(text: str) -> str:
    return json.dumps(text).replace("`", "\\u0060").replace("'", "\\u0027")


AROUND: dict[str, Callable[[str], str]] = {
    "nothing": str,
    "an SDK's error": in_an_sdk_error,
    "a traceback": in_a_traceback,
    "JSON in JSON": in_json_in_json,
    "a box": in_a_box,
    "escapes": escaped,
    "HTML": html.escape,
    "a status": "ERROR 2026-11-20 08:00:00 HTTP 400 Bad Request: {}".format,
}


def is_of(text: str, error: str) -> bool:
    """Tell whether a rule's text can be this one, but for its numbers: what is the same text cannot be told apart."""
    pattern = ".*".join(re.sub(r"\d+", r"\\d+", re.escape(part)) for part in PLACE.split(error))
    return re.fullmatch(rf"{pattern}\.?", text, re.DOTALL | re.IGNORECASE) is not None


@pytest.mark.heavy
@EVERY_ERROR
def test_every_text_of_every_rule_leads_to_it(dialect: str, rule: str, error: str) -> None:
    for turn, (around, wrap) in enumerate(AROUND.items()):
        text = filled(error, turn)
        first = explain(wrap(text), DIALECTS[dialect] if error in OF_OTHERS_TOO else None)[0]
        assert (first.dialect, first.rule.id) == (dialect, rule) or is_of(text, first.error), around


@pytest.mark.heavy
@EVERY_ERROR
def test_whose_text_it_is_can_be_told(dialect: str, rule: str, error: str) -> None:
    text = filled(error, 1)
    found = explain(text, DIALECTS[dialect])
    assert (found[0].dialect, found[0].rule.id) == (dialect, rule) or is_of(text, found[0].error)
    assert (dialect, rule) in {(one.dialect, one.rule.id) for one in found}


def test_a_text_that_is_cut_off_leads_to_its_rule_or_one_that_begins_alike() -> None:
    hits = [
        (dialect, rule) in {(one.dialect, one.rule.id) for one in explain(cut(filled(error, 1)), DIALECTS[dialect])[:3]}
        for dialect, rule, error in ERRORS
        if len(error.split()) > 8
    ]
    assert sum(hits) >= 0.95 * len(hits)


def cut(text: str) -> str:
    """Give the first two thirds of a text, as a log may show it."""
    words = text.split(" ")
    return " ".join(words[: len(words) * 2 // 3]) + " ..."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "400",
        "Bad Request",
        "invalid_request_error",
        "Overloaded",
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
        "Incorrect API key provided: sk-abc. You can find your API key in your settings.",
        "The model `gpt-9` does not exist or you do not have access to it.",
        "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for this model",
        "Your credit balance is too low to access the API.",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) is.",
        "anthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', "
        "'message': 'max_tokens: Field required'}}",
        "{'type': 'invalid_request_error', 'message': 'tools.0.custom.input_schema: Field required'}",
        "tool_choice: Input should be a valid dictionary",
        "temperature: Extra inputs are not permitted",
        "Missing required parameter: 'model'.",
        "Missing required parameter: 'tools[0].function'.",
        "An error occurred (ThrottlingException) when calling the Converse operation: Too many requests",
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nTypeError: 'tuple' object is not callable",
        "the quick brown fox jumps over the lazy dog",
        "bad request: invalid option: reasoning_content_of_old_turns",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        'MCP error -32602: Invalid arguments for tool look: [{"expected": "string", "received": "undefined"}]',
        "<400> InternalError.Algo.InvalidParameter: The tool call is not supported.",
        "Unable to submit request because `look` functionDeclaration parameters schema should be of type OBJECT. Learn "
        "more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling",
        "Malformed input request: #: extraneous key [top_p] is not permitted, please reformat your input and try again",
        "Invalid JSON payload received. Unknown name \"outputMimeType\" at 'generation_config.image_config': Cannot",
        "RuntimeError: Agent failed to initialize: Invalid system prompt template syntax: No filter named 'money'.",
        "stream disconnected before completion: error sending request for url (https://chatgpt.com/responses/compact)",
        '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000',
        "\ud800\x00\x1b[0m",
    ],
)
def test_what_is_about_something_else_has_no_explanation(text: str) -> None:
    assert explain(text) == []


def test_an_error_of_a_parameter_does_not_hide_one_of_the_messages() -> None:
    found = explain(
        "max_tokens: Field required; messages.0.content.1.tool_result.tool_use_id: Field required", Anthropic()
    )
    assert found[0].dialect == "anthropic"


def test_the_words_of_a_relay_do_not_hide_what_it_relays() -> None:
    inner = '{"object":"error","message":"Unexpected role \'tool\' after role \'user\'"}'
    found = explain(
        f"Error code: 400 - {{'error': {{'message': 'Provider returned error', 'metadata': {{'raw': '{inner}'"
    )
    assert (found[0].dialect, found[0].rule.id) == ("mistral", "MS-M03")
    assert explain("Provider returned error") == []


def test_an_explanation_says_what_is_demanded_what_is_done_and_where_that_was_seen() -> None:
    first = explain("messages.41: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9")[0]
    assert first.dialect == "anthropic"
    assert first.rule in Anthropic.rules
    assert first.error in first.rule.errors
    assert 0.5 <= first.score <= 1


def test_the_best_comes_first_and_each_rule_once() -> None:
    found = explain("An assistant message with 'tool_calls' must be followed by tool messages", OpenAIChat())
    of_it = [one for one in found if one.dialect == "openai_chat"]
    assert [one.score for one in of_it] == sorted((one.score for one in of_it), reverse=True)
    assert len({(one.dialect, one.rule.id) for one in found}) == len(found)


THINKING_FIRST = (
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is "
    "enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` "
    "and `tool_result` blocks). We recommend you include thinking blocks from previous turns."
)
UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "default_api:terminal , position 2."
)
# As issue trackers show them: through proxies and frameworks, as bytes, in log lines, wrapped, cut, worded otherwise.
REPORTED = [
    (rf"litellm.BadRequestError: BedrockException - {{\"message\":\"{THINKING_FIRST}\"}}. Fallbacks=[]", "AN-T2"),
    (f"status_code: 400, model_name: claude-opus-4, {{'error': '{THINKING_FIRST}'}}", "AN-T2"),
    (rf"""VertexAIException - b'{{\n  "error": {{\n    "message": "{UNSIGNED}"\n  }}\n}}\n'""", "GM-G10"),
    (
        "PluginInvokeError: 400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'Unable to submit request because "
        "function call `default_api:look` in the 2. content block is missing a `thought_signature`. Learn more: http",
        "GM-G10",
    ),
    ("functionResponse: Unable to submit request because it must have a text parameter.", "GM-G04"),
    (
        'time=2025-07-23T15:10:20.605+01:00 level=ERROR agent=root error="error, status code: 400, status: 400 Bad '
        "Request, message: Invalid value for 'content': expected a string, got null.\"",
        "OC-07",
    ),
    (
        "Azure.RequestFailedException: Invalid value for 'content': expected a string, got null.\n   Status: 400 "
        '(model_error)\n\n   Content:\n   {\n  "error": {\n    "message": "Invalid value for ...',
        "OC-07",
    ),
    ("400 Invalid type for 'messages[0].content': expected a string, but got an array instead", "OC-08"),
    ("Error from provider (DeepSeek): The reasoning_content in the thinking mode must be passed back to the", "DS-09"),
    (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        "(insufficient tool messages following tool_calls message)\", 'type': 'invalid_request_error'",
        "DS-01",
    ),
    (
        "ERROR    An error occurred (ValidationException) when calling the ConverseStream operation: Expected\n"
        "         toolResult blocks at messages.2.content for the following Ids: tooluse_jQ912r",
        "BR-B06",
    ),
    ("messages.4.content: Conversation blocks and tool result blocks cannot be provided in the same turn", "BR-B15"),
    ("`The content field at messages.<n>.content.0.toolResult cannot be empty when status value is error.`", "BR-B13"),
    ("HTTP 400: Unexpected role 'user' after role 'tool'", "MS-M03a"),
    ('{"object":"error","message":"Unexpected role RoleEnum.tool","type":"invalid_request_error"}', "MS-M03"),
    (
        'API error occurred: Status 400. Body: {"message":"Not the same number of function calls and responses"}',
        "MS-M06",
    ),
    ("AI_APICallError: Item 'rs_0124' of type 'reasoning' was provided without its required following item.", "OR-06"),
    ("Item 'msg_07' of type 'message' was provided without its required 'reasoning' item: 'rs_", "OR-07"),
    (
        '[API Error: [{\n    "error": {\n      "code": 400,\n      "message": "Please ensure that the number of '
        'function response parts is equal to the\n  number of function call parts of the function call turn.",',
        "GM-G08",
    ),
    (
        r"Error: 400 {\"type\":\"error\",\"error\":{\"message\":\"messages.9.content.15: `thinking` or "
        r"`redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as "
        r"they were in the original response.\"}}\n    at generate (/$bunfs/root/src/entrypoints/cli.js:11:63816)",
        "AN-T1",
    ),
    ("400 角色信息不正确", "GL-03"),
    (
        "deepseek: Failed to deserialize the JSON body into the target type: messages[4].role: unknown variant `tool`, "
        "expected `user` or `assistant` at line 1 column 1760",
        "DS-19",
    ),
    (
        'ApiError: {"message": "invalid request: cannot specify both message and tool_results in multistep mode"}',
        "CO-03",
    ),
    ("Unhandled: Invalid 'messages[2].content': string too long. Expected a string with maximum length 9", "EX-63"),
    ("AttributeError: ClaudeContentBlockToolResult object has no attribute id", "EX-64"),
    ('500: {"error": "Cannot determine type of \'item\'"}', "OR-32"),
    ("jinja2: 'str object' has no attribute 'items'", "HF-08"),
    ('"Internal Server Error\\",\\"status\\":500,\\"detail\\":\\"Last message role should be \'user\'', "EX-66"),
    (
        "BadRequestError: 'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property "
        "'status' is unsupported, did you mean 'name'?)]",
        "EX-52",
    ),
    (
        "GroqCloud: 'messages.2' : for 'role: assistant' the following must be satisfied[('messages.2' : property "
        "'reasoning_content' is unsupported)]",
        "GQ-01",
    ),
    ("reasoningContent.reasoningText.text failed to satisfy constraint: Member must not be null", "BR-B23"),
    ("ValidationException: The toolUse blocks at messages.7.content contain duplicate Ids: tooluse_a1", "BR-B08"),
    (
        "error: ValidationException: This model doesn't support system messages. Try again without a system message or "
        "use a model that supports system messages.\n    at de_ValidationExceptionRes (/app/index.js:1159:21)",
        "EX-65",
    ),
    (
        '■ {"code": "invalid_value", "message": "Invalid \'input[284].output[1].image_url\'. Expected a valid URL, but',
        "EX-59",
    ),
    ("<400> InternalError.Algo.InvalidParameter: The error info is [Unexpected item type in content.]", "EX-53"),
    ('Mistral rejects with: `"Reasoning input is not enabled for this model"`', "MS-M19"),
    ("`messages.N...document.source.base64.media_type: Input should be 'application/pdf'`", "AN-M7"),
    ("Error: 404 Item with id 'rs_...' not found.\nItems are not persisted when `store` is set to false.", "OR-09"),
    (
        "The image data you provided does not represent a valid image. Please check your\ninput and try again wit",
        "EX-58",
    ),
    (
        "srv: Unable to generate parser for this template. Automatic parser generation failed: While executing line 7: "
        "Jinja Exception: No user query found in messages.",
        "HF-05",
    ),
    ("{'code': 'BadRequest', 'message': \"'narrator' is not an allowed role. The allowed roles are [user]\"}", "EX-27"),
    ("core: check failed (messages.size() % 2 == 1) invalid chat messages size 4", "EX-26"),
    (
        "1 validation error for ChatCompletionRequest\nmessages.5.ChatCompletionMessageUserParam.content.str\n  Input "
        "should be a valid string [type=string_type, input_value=None, input_type=NoneType]",
        "HF-10",
    ),
    ("HTTP 400: reasoning `encrypted_content` was not issued to this caller", "EX-60"),
    (
        "{'type': 'literal', 'loc': ('body', 'messages', 3, 'Message', 'content'), 'msg': 'Input should be audio'}",
        "EX-82",
    ),
    ("cannot go on: Invalid Message passed in {'who': 'me'}", "EX-82"),
    ('{"loc": "body -> messages -> 4 -> content -> 0 -> type", "msg": "Input should be \'text\'"}', "EX-82"),
    ("ConverseStream failed: User messages cannot contain tool uses. Please remove the tool uses", "BR-B30"),
    (
        "2 request validation errors: Input should be a valid string, field: 'messages[3].content.str', value: []",
        "EX-53",
    ),
    ("DashScope answered: <400> InternalError.Algo.InvalidParameter: Failed to download multimodal content", "EX-59"),
    ("'$.messages[1].content' is invalid. Please check the API reference", "OC-08"),
    ("messages.5.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thin", "AN-T2"),
]


@pytest.mark.parametrize(("text", "rule"), REPORTED)
def test_a_text_as_people_report_it_leads_to_its_rule(text: str, rule: str) -> None:
    assert explain(text)[0].rule.id == rule


PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (PREFILL, "anthropic"),
        (f"anthropic.BadRequestError: Error code: 400 - {PREFILL}", "anthropic"),
        (f"An error occurred (ValidationException) when calling the ConverseStream operation: {PREFILL}", "bedrock"),
    ],
)
def test_one_text_of_two_providers_is_told_by_what_is_around_it(text: str, dialect: str) -> None:
    assert explain(text)[0].dialect == dialect
    assert explain(text, Bedrock())[0].dialect == "bedrock"


def test_portable_is_named_only_when_asked_for() -> None:
    text = "Message has tool role, but there was no previous assistant message with a tool call!"
    assert {one.dialect for one in explain(text)} == {"openai_chat"}
    assert explain(text, Portable())[0].dialect == "portable"


CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
OTHER: dict[str, Any] = {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {}}
BROKEN: list[Any] = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": [OTHER]},
    {"role": "user", "content": [{"type": "text", "text": ""}]},
]


def test_the_places_of_a_list_are_found_those_that_the_text_names_first() -> None:
    unanswered = (
        "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message."
    )
    for n, id in ((1, "toolu_1"), (3, "toolu_2")):
        text = in_an_sdk_error(unanswered.replace("{n}", str(n)).replace("{ids}", id))
        found = where(text, BROKEN, Anthropic())
        assert (found[0].rule, found[0].index) == ("AN-C1", n)
        assert {violation.index for violation in found if violation.rule == "AN-C1"} == {1, 3}
        assert {violation.rule for violation in found} == {"AN-C1", "AN-C2"}
    (blank,) = where("messages: text content blocks must be non-empty", BROKEN, Anthropic())
    assert blank in check(BROKEN, Anthropic())
    assert blank.index == 4


def test_a_list_that_does_not_break_the_rule_has_no_place() -> None:
    assert where("messages: text content blocks must be non-empty", BROKEN[:4], Anthropic()) == []
    assert where("hello", BROKEN, Anthropic()) == []
    assert where(PREFILL, BROKEN, Anthropic()) == []


def test_places_are_those_about_the_same_where_the_list_is_in_another_form() -> None:
    unanswered = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    )
    found = where(unanswered, BROKEN, Anthropic())
    assert {each.rule for each in found} & {"AN-C1"}
    assert not {each.rule for each in found} & {"AN-B2"}


def test_every_violation_leads_back_to_its_rule() -> None:
    for violation in check(BROKEN, Anthropic()):
        found = explain(violation.error, Anthropic())
        assert violation.rule in {one.rule.id for one in found if one.score >= found[0].score - 0.02}


@pytest.mark.heavy
@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_what_is_typical_of_a_subject_is_claimed_by_no_rule(subject: Subject) -> None:
    for error in subject.texts:
        for around in ("nothing", "an SDK's error", "JSON in JSON"):
            text = AROUND[around](PLACE.sub("something7", error))
            assert explain(text) == [], text
            assert subject_of(text) is not None, text


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("tools.3.custom.input_schema.type: Field required", "tools"),
        ('{"detail": [{"type": "missing", "loc": ["body", "tools", 0, "name"], "msg": "Field required"}]}', "tools"),
        ('{"message": "not allowed here", "param": "tool_choice", "code": "invalid_value"}', "tools"),
        ("Unsupported parameter: 'top_k'", "a parameter of the request"),
        ("max_tokens: Input should be greater than 0", "a parameter of the request"),
        ("response_format: Extra inputs are not permitted", "the form of the answer"),
        ("Error: 400 - cache_control_defaults: Extra inputs are not permitted", "a parameter of the request"),
        (
            "API Error: 400 The request body is not valid JSON: unexpected character: line 1 column 9 (char 8)",
            "the program",
        ),
        ("code 1214: top_p 参数非法。请检查文档。", "a parameter of the request"),
        ("This model doesn't support the toolConfig.toolChoice.any field. Remove it and try again.", "tools"),
        ("Malformed input request: #/toolConfig/tools/3: extraneous key [cachePoint] is not permitted", "tools"),
        ("429 Too many requests: rate limit exceeded for this organization", "load"),
    ],
)
def test_an_error_about_something_else_names_its_subject(text: str, subject: str) -> None:
    assert explain(text) == []
    found = subject_of(text)
    assert found is not None
    assert found.name == subject


def test_what_nobody_knows_has_no_subject() -> None:
    assert subject_of("the quick brown fox jumps over the lazy dog") is None


@pytest.mark.parametrize(("dialect", "rule"), own_rules(), ids=lambda value: getattr(value, "id", value))
def test_rules_that_only_explain_say_where_they_come_from_and_have_texts(dialect: str, rule: Rule) -> None:
    assert dialect in DIALECTS
    assert rule.id not in {known.id for name in DIALECTS for known in DIALECTS[name].rules}
    assert rule.errors
    assert rule.rule.endswith(".")
    assert rule.repair.endswith(".")
    assert rule.source.startswith("https://")
    assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", rule.date)
    for turn, error in enumerate(rule.errors):
        text = in_an_sdk_error(filled(error, turn))
        found = explain(text)
        assert rule.id in {one.rule.id for one in found if one.score >= found[0].score - 0.02}, text


def test_no_text_in_other_words_is_lost() -> None:
    rows = tomllib.loads(files(explaining).joinpath("known.toml").read_text(encoding="utf-8"))["text"]
    assert [
        error for row in rows for error in row["errors"] if error not in further_texts()[row["dialect"], row["rule"]]
    ] == []


def test_texts_in_other_words_lead_to_rules_that_there_are() -> None:
    for (dialect, rule), errors in further_texts().items():
        for error in errors:
            found = explain(filled(error, 1), DIALECTS[dialect])
            assert (dialect, rule) in {(one.dialect, one.rule.id) for one in found}, error
    for dialect, rule in quoting_rules():
        assert rule in {known.id for known in DIALECTS[dialect].rules}


def test_a_text_that_does_not_say_what_is_wrong_is_not_explained_with_certainty() -> None:
    found = explain('{"error": {"code": 400, "message": "Request contains an invalid argument.", "status": "X"}}')
    assert found[0].rule.id == "EX-12"
    assert "GM-G23" in {one.rule.id for one in found}
    assert max(one.score for one in found) <= 0.5


def test_a_text_that_several_rules_share_lists_them() -> None:
    found = explain(UNSIGNED)
    assert [one.rule.id for one in found if one.score == found[0].score] == ["GM-G10", "GM-G09", "GM-G11"]


def test_common_words_of_a_text_prove_nothing() -> None:
    assert explain("the streaming of gadgets is not supported") == []
    assert explain("the streaming of gadgets is not supported", DIALECTS["gemini"]) == []
    assert explain("gadget: Field required. Input should be a valid list. Extra inputs are not permitted") == []


def test_the_place_that_an_error_names_decides_between_rules() -> None:
    text = "Invalid 'input[2].{}': string too long. Expected a string with maximum length 64, but got 70 instead."
    assert explain(text.format("id"))[0].rule.id == "OR-13"
    assert explain(text.format("call_id"))[0].rule.id == "OR-15"


def test_the_id_of_a_rule_in_any_case_gives_the_rule_of_each_dialect_that_has_it() -> None:
    assert [(one.dialect, one.rule.id) for one in explain("g05")] == [("gemini", "GM-G05")]
    assert {one.dialect for one in explain(" HF-07 ")} == {"openai_chat", "openai_responses"}
    assert [one.rule.id for one in rules_named("EX-12")] == ["EX-12"]
    assert explain("Z99") == []


@pytest.mark.heavy
@pytest.mark.parametrize("piece", PIECES_OF_TEXTS)
def test_any_text_costs_time_in_proportion_to_its_length(piece: str) -> None:
    assert lines_of(explained(piece, 40_000)) < 5 * lines_of(explained(piece, 10_000))


def test_a_character_reference_of_any_length_is_text() -> None:
    assert explain("&#" + "9" * 5000) == []
    assert explain("&#x110000; &#0; &#xd800; &bogus; &amp;amp;#39;") == []


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("our gateway found tool calls that no tool message did answer: each must have a reply", "calls and results"),
        ('{"error": {"message": "turn 4 has no content: blank messages are refused"}}', "empty and absent content"),
        ("the speakers' roles have to be alternating", "roles and turns"),
        ("could not verify the signature of a thinking block, please send it as it was", "thinking"),
        ("the picture in message 3 exceeds what we can process", "media"),
        ("what the tool call has as its arguments could not be parsed", "arguments"),
        ("the tool name of call 4 may only contain letters", "names"),
        ("the chat was refused: its last message is the assistant's", "how the list ends"),
        ('role only allows "user" / "assistant", not "system"', "roles and turns"),
        ("sorry, unsupported message content in what came from memory", "the form of content"),
        ("here the tool message content must be a string, not parts", "what a result holds"),
        ("the array of messages is empty, which nobody can answer", "the list"),
        ("the very first message must have the role of a user", "roles and turns"),
    ],
)
def test_words_that_no_rule_has_are_explained_by_their_topic(text: str, topic: str) -> None:
    (only,) = explain(text)
    assert f"it seems to be about {topic}." in only.rule.rule
    assert only.score <= 0.3
    assert only.error == ""
    assert explain(text, Bedrock())[0].dialect == "bedrock"


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("messages[7].role has to be the user's or the model's here", "roles and turns"),
        ("'messages.12.tool_calls.0.function.arguments': what is there is not valid", "arguments"),
        ('{"loc": ["body", "messages", 3, "ToolMessage", "tool_call_id"], "msg": "should be there"}', "ids"),
        ("body -> messages -> 8 -> content -> 1 -> image_url: this cannot be used", "media"),
        ("gateway refused #/messages/2/content/0/cache_control: not allowed for this tier", "cache marks"),
        ("42 is not of type 'string' - 'messages.5.name'", "names"),
        ("3 is too short - 'messages.3.tool_calls' must have more of them", "calls and results"),
        ("bad `input[31].summary`: it is missing", "thinking"),
        ("messages[4].badge: such a key is unknown", "the form of content"),
        ('{"loc": ["body", "messages"], "msg": "this should be a list"}', "the form of content"),
    ],
)
def test_the_key_of_the_place_that_an_error_names_tells_its_topic(text: str, topic: str) -> None:
    first, *_ = explain(text)
    assert f"it seems to be about {topic}." in first.rule.rule


@pytest.mark.parametrize(
    "text",
    [
        "Invalid 'billing_code': string does not match pattern. Expected a string that matches the pattern '^[a-z]+$'.",
        '{"error": {"message": "this is too long for us", "param": "trace_label", "code": "invalid_value"}}',
        "Unknown parameter: 'house_style.tone'.",
        '[{"code": "invalid_type", "expected": "string", "received": "undefined", "path": ["ticket"]}]',
    ],
)
def test_an_error_at_a_parameter_that_nobody_knows_is_not_about_the_list(text: str) -> None:
    assert explain(text) == []
    found = subject_of(text)
    assert found is not None
    assert found.name == "a parameter of the request"


def test_a_rule_at_another_key_does_not_explain_an_error() -> None:
    text = "Invalid type for 'messages[6].tool_calls': expected one of a string or array of objects, but got 7 instead."
    assert "OC-08" not in {one.rule.id for one in explain(text)}
    assert explain(text.replace("tool_calls", "content"))[0].rule.id == "OC-08"


def test_words_that_stand_in_many_texts_do_not_outweigh_what_an_error_says() -> None:
    wrapped = "Unable to submit request because {}. Learn more: https://cloud.google.com/vertex-ai/gemini"
    first, *_ = explain(wrapped.format("the video of turn 3 has a mimeType which is not supported"))
    assert "it seems to be about media." in first.rule.rule
    assert explain(wrapped.format("Thought signature is not valid."))[0].rule.id == "GM-G13"


def test_the_wrapper_of_an_error_alone_does_not_make_it_one_of_the_list() -> None:
    wrapped = "The model returned the following errors: Malformed input request: {}, please reformat your input and try"
    assert explain(wrapped.format("#/stop_words/2: the word [x] is reserved")) == []
    assert (
        explain(wrapped.format("#/messages/3/content/1/text: expected minLength: 1, actual: 0"))[0].rule.id == "BR-B05"
    )


def test_what_a_relay_quotes_is_read() -> None:
    quoted = r'"metadata": {"raw": "{\"param\": \"the text of a part is not present\"}", "provider_name": "Someone"}'
    (only,) = explain('{"error": {"message": "Provider returned error", "code": 400, ' + quoted + "}}")
    assert "it seems to be about empty and absent content." in only.rule.rule


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("第三条消息内容为空", "empty and absent content"),
        ("该模型不支持图片", "media"),
        ("第二轮角色必须是用户", "roles and turns"),
    ],
)
def test_chinese_words_have_topics_too(text: str, topic: str) -> None:
    (only,) = explain(text)
    assert f"it seems to be about {topic}." in only.rule.rule


def test_topics_have_ids_of_their_own_and_say_what_to_do() -> None:
    ids = [topic.id for topic in topics()]
    assert len({*ids, *(rule.id for _, rule in own_rules())}) == len(ids) + len(own_rules())
    for topic in topics():
        assert all(text.endswith(".") for text in (topic.demand, topic.cause, topic.repair))


PIECES = (
    "body",
    "path",
    "messages",
    "input",
    "content",
    "0",
    "{n}",
    "-",
    "->",
    ".",
    "[",
    "]",
    "'",
    ",",
    ": ",
    " ",
    "#/",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("body-messages")
@example("body->messages->0->content")
def test_no_text_of_places_raises(text: str) -> None:
    explain(f"{text} is invalid")


def test_a_place_with_arrows_is_read() -> None:
    assert [place.keys for place in places_of("body->messages->0->content->typed-dict->text")] == [("content", "text")]
