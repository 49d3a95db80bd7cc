"""Errors as people paste them: from logs of many languages, as bytes, cut off, and at keys that any rule is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from message_history.dialects import Bedrock
from message_history.explaining import cause_of, explain, subject_of

if TYPE_CHECKING:
    from collections.abc import Callable


def in_an_event(text: str) -> str:
    return f'event: error\ndata: {{"type": "error", "error": {{"message": {json.dumps(text)}}}}}\n\n'


def in_ruby(text: str) -> str:
    return (
        f"/gems/llm-1.6.4/lib/llm/error.rb:61:in 'ErrorMiddleware.parse_error': {text} (LLM::BadRequestError)\n"
        "\tfrom /gems/faraday-2.13.4/lib/faraday/middleware.rb:53:in 'Faraday::Middleware#call'\n"
    )


def in_go(text: str) -> str:
    body = json.dumps(json.dumps({"error": {"message": text}}))
    return f"2026/11/20 08:01:12 ERROR chat failed err={body}\ngoroutine 34 [running]:\nmain.(*Agent).Run(0xc0001a2000)"


def in_java(text: str) -> str:
    return (
        f"com.openai.errors.BadRequestException: 400: {text}\n"
        "\tat com.openai.core.handlers.ErrorHandler.handle(ErrorHandler.kt:41)\n"
        "Caused by: java.util.concurrent.CompletionException"
    )


def in_javascript(text: str) -> str:
    return (
        f"APICallError [AI_APICallError]: {text}\n    at process.processTicksAndRejections (node:internal:105:5) {{\n"
        "  statusCode: 400,\n  isRetryable: false,\n  [Symbol(vercel.ai.error)]: true\n}"
    )


def in_rust(text: str) -> str:
    return (
        f'called `Result::unwrap()` on an `Err` value: ApiError {{ message: {json.dumps(text)}, type: Some("bad"), '
        "param: None, code: None }"
    )


def in_php(text: str) -> str:
    return f"PHP Fatal error:  Uncaught ErrorException: {text} in /var/www/client.php:124\nStack trace:\n#0 {{main}}"


def in_colours(text: str) -> str:
    return f"\x1b[90m12:00:01\x1b[0m \x1b[1;31mERROR\x1b[0m \x1b[33m[agent]\x1b[0m {text}\x1b[0m"


def in_bytes(text: str) -> str:
    body = json.dumps({"error": {"message": text}}, ensure_ascii=False)
    return f"ProviderException - {body.encode()!r}"


PASTES: tuple[Callable[[str], str], ...] = (
    in_an_event,
    in_ruby,
    in_go,
    in_java,
    in_javascript,
    in_rust,
    in_php,
    in_colours,
    in_bytes,
)
OF_THE_LIST = [
    ("Please ensure that multiturn requests alternate between user and model.", "GM-G16"),
    ("No tool call found for function call output with call_id call_1.", "OR-04"),
    ("Each message must have at least one content element.", "XA-01"),
    ("messages 参数非法。请检查文档。", "EX-10"),
    (
        "Invalid 'messages[3].tool_calls': array too long. Expected an array with maximum length 128, but got 130.",
        "OC-05",
    ),
]
OF_SOMETHING_ELSE = [
    "property 'thinking' is unsupported",
    "The custom_id 'a' for this request is a duplicate of another request. The custom_id must be unique in a batch.",
    "Invalid value: '2048x1152'. Supported values are: '1024x1024'.",
    "Your request was rejected by the safety system. If you believe this is an error, contact us. No image was made.",
    "Invalid 'input[8]': maximum input length is 8192 tokens.",
]


@pytest.mark.parametrize("paste", PASTES)
@pytest.mark.parametrize(("text", "rule"), OF_THE_LIST)
def test_what_a_language_puts_around_an_error_does_not_hide_its_rule(
    paste: Callable[[str], str], text: str, rule: str
) -> None:
    assert explain(paste(text))[0].rule.id == rule


@pytest.mark.parametrize("paste", PASTES)
@pytest.mark.parametrize("text", OF_SOMETHING_ELSE)
def test_what_a_language_puts_around_an_error_does_not_make_it_one_of_the_list(
    paste: Callable[[str], str], text: str
) -> None:
    assert explain(paste(text)) == []


@pytest.mark.parametrize(
    ("text", "topic", "rule"),
    [
        ("Missing required parameter: 'input[22].summary'.", "thinking", "EX-55"),
        ("Unknown parameter: 'input[1].encrypted_content'.", "thinking", "OR-17"),
        ("Missing required parameter: 'messages[1].content[1].image_url.url'.", "media", "EX-54"),
        ("Missing required parameter: 'input[2].action.type'.", "server tools", "EX-55"),
        ("Missing required parameter: 'messages[1].role'.", "roles and turns", "EX-54"),
        ("messages.4.content.0.tool_use.input: Field required", "arguments", "AN-B8"),
    ],
)
def test_the_key_at_which_a_rule_of_any_key_is_broken_tells_what_the_error_is_about(
    text: str, topic: str, rule: str
) -> None:
    first, second, *_ = explain(text)
    assert f"The key that the error names is about {topic}." in first.rule.rule
    assert second.rule.id == rule
    assert (first.score, first.error) == (second.score, second.error)
    assert cause_of(first)


def test_a_rule_that_names_the_key_itself_says_more_than_one_of_any_key() -> None:
    found = explain("Missing required parameter: 'messages[1].content[1].file.file_id'.")
    assert found[0].rule.id == "OC-25"
    found = explain("The file type you uploaded is not supported. Please try again with a pdf")
    assert found[0].rule.id == "OR-40"


def test_a_key_that_messages_of_other_apis_have_is_a_matter_of_form_where_it_is_not_wanted() -> None:
    assert explain("messages.3.id: Extra inputs are not permitted")[0].rule.id == "AN-B7"
    assert explain("Unknown parameter: 'input[2].name'.")[0].rule.id == "OR-17"


def test_what_a_block_of_a_server_tool_holds_is_about_server_tools() -> None:
    (first, *_) = explain("messages.3.content.2.web_search_tool_result.content.0.encrypted_content: Field required")
    assert "about server tools." in first.rule.rule
    (first, *_) = explain("messages.3.content.2.web_search_tool_result.cache_control: this is not accepted")
    assert "about cache marks." in first.rule.rule


def test_an_error_of_the_whole_list_is_not_one_of_a_part_of_it() -> None:
    too_long = (
        "Invalid '{}': array too long. Expected an array with maximum length 8, but got one with length 9 instead."
    )
    assert explain(too_long.format("input"))[0].rule.id == "EX-67"
    assert explain(too_long.format("messages[3].tool_calls"))[0].rule.id == "OC-05"
    assert explain(too_long.format("input[3].content"))[0].rule.id == "OR-16"


def test_a_part_of_a_short_text_says_nothing() -> None:
    assert "OC-19" not in {one.rule.id for one in explain("Custom tool call output is missing for call id: call_1.")}
    assert explain("KeyError: 'tool_call_id'")[0].rule.id == "OC-19"


@pytest.mark.parametrize("end", ["...", "…"])
def test_a_text_that_a_log_has_cut_off_needs_less_of_its_rule(end: str) -> None:
    text = "The model returned the following errors: The provided image does"
    assert explain(text) == []
    assert explain(f"{text} {end}")[0].rule.id == "BR-B31"
    assert explain(f"Invalid value: 'x'. Supported values are: {end}") == []


def test_a_key_without_the_way_to_it_is_one_of_the_list_where_no_parameter_is_called_so() -> None:
    assert (
        "about thinking."
        in explain("Extra inputs are not permitted, field: 'reasoning_content', value: []")[0].rule.rule
    )
    assert explain("Extra inputs are not permitted, field: 'temperature', value: 1") == []
    assert subject_of("Extra inputs are not permitted, field: 'temperature', value: 1") is not None


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ('{"loc": ["body", "messages", 3, "tool", "content"], "msg": "Field required"}', "empty and absent content"),
        ("Type mismatch of '/messages/0/content', 'array' not in 'string'", "the form of content"),
        ("a half of an emoji: the high surrogate has no low one, which is not allowed", "unwritable text"),
        ("a user message must be provided before what the assistant says", "roles and turns"),
        ("there are too many: six of four cache checkpoints", "cache marks"),
        ("'Weather Bot' does not match '^[a-z]+$' - 'messages.1.name'", "names"),
        ("The kind of image that you uploaded here cannot be read. Please send another jpeg", "media"),
        (
            "Message of 'system' type not supported by Gemini. Please only provide Human and AI messages.",
            "the system prompt",
        ),
        ("Invalid input argument for Model 'x': tool message must follow an assistant message", "calls and results"),
        ("The messages field is required and can't be empty. Provide messages and try again.", "the list"),
        ("the very first message must be from the user, with a system message or without", "roles and turns"),
    ],
)
def test_words_that_no_rule_has_have_a_topic_by_place_and_by_sign(text: str, topic: str) -> None:
    (only,) = explain(text)
    assert f"it seems to be about {topic}." in only.rule.rule


def test_a_message_that_is_empty_is_not_a_list_that_is() -> None:
    assert "about empty and absent content." in explain("message content must not be empty at messages[2]")[0].rule.rule
    assert explain("messages must not be empty")[0].rule.id == "KM-07"


@pytest.mark.parametrize(
    "text",
    [
        'null value in column "content" of relation "messages" violates not-null constraint',
        "sqlite3.IntegrityError: UNIQUE constraint failed: messages.id",
        "django.core.exceptions.ValidationError: {'content': ['This field cannot be blank.']}",
        'File "a.py", line 2\n    if block.type in ("tool_use", "tool_result"):\nhttpx.ConnectError: Name not known',
        '{"error": {"message": "Invalid request: function name is duplicated: search"}}',
    ],
)
def test_programs_and_databases_speak_of_messages_too(text: str) -> None:
    assert explain(text) == []


def test_the_words_of_a_code_do_not_make_a_sentence_one_of_its_rule() -> None:
    assert "EX-06" not in {one.rule.id for one in explain("function name is invalid, tool_call_id is duplicated")}
    assert explain('{"error": {"code": "invalid_tool_call_id"}}')[0].rule.id == "EX-06"


def test_a_text_that_is_cut_off_behind_the_words_of_a_wrapper_says_nothing() -> None:
    wrapper = "<400> InternalError.Algo.InvalidParameter: "
    assert explain(f"{wrapper}The value of the enable_thinkin…") == []
    assert explain(f"{wrapper}The length of the tool name cannot…")[0].rule.id == "QW-05"


def test_the_id_that_stands_for_a_topic_can_be_looked_up() -> None:
    (found,) = explain("Missing required parameter: 'input[22].summary'.")[:1]
    (again,) = explain(found.rule.id)
    assert again.rule.repair == found.rule.repair
    assert cause_of(again) == cause_of(found)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("a gateway that nobody knows: messages[7].role has to be another", "openai_chat"),
        ("'input[7].badge' is not supported", "openai_responses"),
        ("'contents[7].parts[1].badge' is not supported", "gemini"),
        ("messages.7.content.1.badge is not supported", "anthropic"),
        ("Bedrock: messages.7.content.1.badge is not supported", "bedrock"),
    ],
)
def test_words_that_no_rule_has_are_of_the_api_whose_list_they_name(text: str, dialect: str) -> None:
    assert explain(text)[0].dialect == dialect


@pytest.mark.parametrize(
    "text",
    [
        "Organization already has an active subscription",
        "Exception: Value '[x]' at 'labels' failed to satisfy constraint: Member must have length less than 9",
        "Value 'x' at 'source.details.type' failed to satisfy constraint: Member must satisfy enum value set: [a, b]",
        "sources must be present and must be a list of names",
        '{"path": request.url.path, "message": "Invalid API key format"}',
        "Missing Stripe-Signature header",
        "invalid method signature",
        "containerProperties must contain image",
        "Unknown content-type: x1",
        "Invalid service role: Service role account ID does not match the caller's account",
        "oneOf at '/' not met: required properties at '/audio' are 'voice,format', enum a not in b at '/tools/0/type'",
    ],
)
def test_words_that_stand_in_any_error_do_not_make_it_one_of_the_list(text: str) -> None:
    assert explain(text) == []


def test_a_value_at_a_place_of_the_list_is_one_of_it() -> None:
    text = "Value 'x' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [a]"
    assert explain(text)[0].rule.id == "BR-B25"


def test_a_text_that_ends_within_an_object_is_cut_off() -> None:
    text = '{"error":{"message":"messages.236: `tool_use` ids wer'
    assert explain(text)[0].rule.id == "AN-C1"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("json: cannot unmarshal string into Go struct field ChatRequest.messages of type api.Message", "EX-54"),
        ("'messages' array must only contain objects with a 'content' field that is not empty", "EX-62"),
    ],
)
def test_what_go_and_lm_studio_say_of_messages_leads_to_its_rule(text: str, rule: str) -> None:
    assert explain(text)[0].rule.id == rule


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Uploaded image must be a png and less than 4 mb - ERROR", "an image to make or to edit"),
        ("Cannot update a conversation's voice if assistant audio is present.", "a session of the realtime API"),
        ("Unknown parameter: 'session.input_audio_format'.", "a session of the realtime API"),
        ("Invalid arguments for tool 'ask': [{'loc': ('question',), 'msg': 'Input should be a valid string'}]", ""),
        (
            "Failed to deserialize the JSON body into the target type: config.a: missing field `b` at line 9 column 3",
            "a parameter of the request",
        ),
    ],
)
def test_a_place_beside_the_list_tells_what_an_error_is_about(text: str, subject: str) -> None:
    assert explain(text) == []
    found = subject_of(text)
    assert found is not None
    assert subject in found.name


def test_a_template_that_wants_roles_in_turn_is_not_about_the_system_prompt() -> None:
    text = "raise('After the system message, con...\\n ^\\nError: Jinja Exception: the conversation roles must alter"
    assert "the system prompt" not in explain(text)[0].rule.rule


def test_a_rule_that_a_text_is_only_a_little_like_goes_behind_the_topic_of_its_words() -> None:
    first, second, *_ = explain("Invalid message content: only messages with 'type=text' are supported currently.")
    assert "about the form of content." in first.rule.rule
    assert second.rule.id == "OL-02"
    assert explain("an image of a hosted tool: 'image_gen.imagegen' conflicts with it") == []


@pytest.mark.parametrize(
    "text",
    [
        "[400 MESSAGE_EMPTY] - The message is empty or contains invalid characters (caused by SendMessage), Telegram",
        '{"ok": false, "error_code": 400, "description": "Bad Request: MESSAGE_ID_INVALID"}',
        "Unrecognized file format error when transcribing audio",
        "API Error: 529 this agent builds images and failed",
        "InvalidDBState: a cluster should be in a valid state to add role",
        "'x1' is an invalid keyword argument for this function",
        "Too many arguments passed to 'wsgi.input.readline()'.",
        "The input must not be empty.",
        "ValueError: image has wrong mode",
    ],
)
def test_programs_that_speak_of_messages_of_their_own_are_not_taken_for_a_provider(text: str) -> None:
    assert explain(text) == []


def test_a_status_of_the_server_that_an_image_lies_on_says_nothing() -> None:
    text = '{"error":{"message":"Image URL could not be fetched: HTTP 403","param":"messages"}}'
    assert "about media." in explain(text)[0].rule.rule


@pytest.mark.parametrize(
    "text",
    [
        "Error: Invalid Signature",
        '{"message": "Invalid signature"}',
        "09:14:02 ERROR [hooks] rejected\nError: invalid signature.\n    at Hooks.verify (/srv/hooks.js:61:9)",
    ],
)
def test_a_signature_of_any_software_is_not_one_of_thinking(text: str) -> None:
    assert explain(text) == []


@pytest.mark.parametrize(
    "text", ["The thinking block has an invalid signature: Invalid signature", "bedrock-runtime: Invalid signature"]
)
def test_a_signature_beside_a_word_of_models_is_one_of_thinking(text: str) -> None:
    assert "BR-B23" in {one.rule.id for one in explain(text)}


def test_a_signature_is_one_of_thinking_where_the_api_is_known() -> None:
    assert [one.rule.id for one in explain("Invalid signature", Bedrock())] == ["BR-B23"]


@pytest.mark.parametrize(
    "text",
    [
        "Error: DALL-E image size must be 256, 512, or 1024.",
        "Could not generate the image: the image is too large",
        "RpcError: Exception iterating responses: image too large, 2000000>1048576 pixels",
        "Invalid file 'image': unsupported mimetype ('text/plain'). Supported file formats are 'image/png'.",
        "missing required Copilot-Vision-Request header for vision requests",
        "The server responded with error 50006: Cannot send an empty message",
        'Msg: "Your request contains an invalid request parameter, ext=invalid message content"',
        "json: cannot unmarshal object into Go struct field ChatRequest.format of type string",
        "json: cannot unmarshal string into Go struct field ChatRequest.tools.function of type api.ToolFunction",
        '"loc" => array:2 [\n  0 => "body"\n  1 => "top_p"\n]\n"msg" => "Input should be a valid number"',
    ],
)
def test_image_makers_chat_programs_headers_and_parameters_are_not_the_list(text: str) -> None:
    assert explain(text) == []


@pytest.mark.parametrize(
    ("key", "rule"),
    [("tool_call_id", "EX-77"), ("content", "EX-52"), ("reasoning_content", "EX-72")],
)
def test_the_key_that_is_missing_at_groq_tells_what_the_error_is_about(key: str, rule: str) -> None:
    at = "'messages.2' : for 'role:tool' the following must be satisfied"
    assert explain(f"{at}[('messages.2' : property '{key}' is missing)]")[0].rule.id == rule


def test_arguments_that_are_text_lead_to_their_rule_in_older_servers_too() -> None:
    text = (
        "json: cannot unmarshal string into Go struct field ChatRequest.messages of type api.ToolCallFunctionArguments"
    )
    assert explain(text)[0].rule.id == "EX-56"


def test_words_of_a_wrapper_do_not_outweigh_all_the_words_of_a_rule() -> None:
    text = "An error occurred while processing your request. Error Details: Invalid prompt: messages must not be empty"
    assert explain(text)[0].score > 0.75


@pytest.mark.parametrize(
    "text",
    [
        '{"detail": [{"loc": ["body"], "msg": "Input should be a valid dictionary or object to extract fields from"}]}',
        '{"detail": [{"loc": ["query", "user"], "msg": "Input should be a valid dictionary"}]}',
        "def get_image_embedding(path): 400 Bad Request: Image exceeds max pixels allowed.",
        "The model does not support `embed`: the image is not supported",
    ],
)
def test_the_whole_body_and_what_is_embedded_are_not_the_list(text: str) -> None:
    assert explain(text) == []


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("tool calling is broken: Unexpected role 'tool'", "roles and turns"),
        ('prompt must start with "\n\nHuman:" turn after an optional system prompt', "roles and turns"),
        ("Messages token length must be in (0, 1048576], but got 0", "empty and absent content"),
    ],
)
def test_a_sign_of_one_topic_outweighs_words_of_another(text: str, topic: str) -> None:
    assert f"about {topic}." in explain(text)[0].rule.rule


def test_too_many_tokens_are_not_too_few() -> None:
    assert explain("Messages token length must be in (0, 1048576], but got 1048580") == []


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ('Unknown name "response" at \'contents[2].parts[0].function_response\': Proto field is not repeating, cannot '
         "start list.", "what a result holds"),
        ("Key: 'Request.Data.PromptMessages[0].Content' Error:Field validation for 'Content' failed on the 'x' tag",
         "the form of content"),
        ("Invalid messages at 1:\\n{'role': 'system', 'content': 'You are", "the form of content"),
    ],
)  # fmt: skip
def test_validators_of_go_gateways_and_protocol_buffers_name_the_topic(text: str, topic: str) -> None:
    assert f"about {topic}." in explain(text)[0].rule.rule
