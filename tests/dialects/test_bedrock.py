"""Converse messages: every rule with a case of its own, families of models, media, reasoning, cache points."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
    RedactedThinkingBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.json_values import FrozenDict
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, Bedrock
from message_history.dialects.bedrock import schema
from message_history.dialects.registry import dialect_of
from message_history.integrations.strategies import histories, messages
from tests.campaigns.growth import lines_of
from tests.dialects.odd_pieces import PIXEL, PNG
from tests.dialects.removed_text import removed_text

Wire = dict[str, Any]
GOLDEN = Path(__file__).parent / "golden" / "bedrock"
DOT = base64.b64decode(PIXEL)
WITH_DASHES = PIXEL.replace("+", "-").replace("/", "_")
PHOTO = "/9j//gAE+///wAALCAABAAEBAREA/9k="
STILL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
CLAUDE = Bedrock.for_model("us.anthropic.claude-sonnet-4-6")
OLD_CLAUDE = Bedrock.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
CLAUDE_3 = Bedrock.for_model("anthropic.claude-3-haiku-20240307-v1:0")
NOVA = Bedrock.for_model("us.amazon.nova-pro-v1:0")
NOVA_2 = Bedrock.for_model("us.amazon.nova-2-lite-v1:0")
LLAMA = Bedrock.for_model("us.meta.llama4-maverick-17b-instruct-v1:0")
PIXTRAL = Bedrock.for_model("us.mistral.pixtral-large-2502-v1:0")
PALMYRA = Bedrock.for_model("us.writer.palmyra-x5-v1:0")
QWEN = Bedrock.for_model("qwen.qwen3-vl-235b-a22b-instruct-v1:0")
VARIANTS = [Bedrock(), CLAUDE, OLD_CLAUDE, NOVA, NOVA_2, LLAMA, PIXTRAL, PALMYRA, QWEN]
every_variant = pytest.mark.parametrize("dialect", VARIANTS, ids=range(len(VARIANTS)))

POINT = {"cachePoint": {"type": "default"}}
SIGNED = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}


def user(*blocks: Any) -> Wire:
    return {"role": "user", "content": [{"text": block} if isinstance(block, str) else block for block in blocks]}


def assistant(*blocks: Any) -> Wire:
    return {**user(*blocks), "role": "assistant"}


def call(id: str = "t1", name: str = "f", input: Any = None) -> Wire:
    return {"toolUse": {"toolUseId": id, "name": name, "input": {} if input is None else input}}


def result(id: str = "t1", *parts: Any, **keys: Any) -> Wire:
    content = [{"text": part} if isinstance(part, str) else part for part in parts or ("ok",)]
    return {"toolResult": {"toolUseId": id, "content": content, **keys}}


def image(data: Any = DOT, form: str = "png") -> Wire:
    return {"image": {"format": form, "source": {"bytes": data}}}


def document(name: str = "report", form: str = "pdf", data: Any = b"pdf") -> Wire:
    return {"document": {"format": form, "name": name, "source": {"bytes": data}}}


def asked(*blocks: Any) -> list[Wire]:
    """Make a list in which a tool was called, and the last message holds these blocks."""
    return [user("x"), assistant(call()), user(*blocks)]


def in_json(value: Any) -> Any:
    """Write bytes as they are in the HTTP request."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: in_json(item) for key, item in value.items()}
    return [in_json(item) for item in value] if isinstance(value, list) else value


def codes(history: MessageHistory, dialect: Bedrock) -> list[RepairCode]:
    return [repair.code for repair in history.export(dialect).repairs]


# What is refused: the rule, for whom, the list, where, and the provider's own text

TOGETHER = "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
BEHIND_CALL = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block "
    "must have a corresponding `tool_result` block in the next message."
)
BEHIND = (
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)
NAMES = (
    "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and "
    "square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name "
    "conforms to these restrictions and retry your request."
)
BLANK = (
    "The text field in the ContentBlock object at messages.{n}.content.{m} is blank. Add text to the text field, and "
    "try again."
)
NOT_CACHED = "There is nothing available to cache. Please remove the invalid cache point and try again."
REFUSED: list[tuple[str, Bedrock, list[Wire], int | None, str]] = [
    ("BR-B01", Bedrock(), [], None, schema.RULES.by_id["BR-B01"].errors[0]),
    (
        "BR-B01",
        NOVA,
        [assistant("hello"), user("hi")],
        0,
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    ),
    (
        "BR-B02",
        LLAMA,
        [user("a"), user("b")],
        1,
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between "
        "user and assistant roles and try again.",
    ),
    (
        "BR-B03",
        CLAUDE,
        [user("x"), assistant("partial")],
        1,
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    (
        "BR-B03",
        CLAUDE_3,
        [*asked(result()), assistant("{")],
        3,
        "The model returned the following errors: Your API request included an `assistant` message in the final "
        "position, which would pre-fill the `assistant` response. When using tools, pre-filling the `assistant` "
        "response is not supported.",
    ),
    (
        "BR-B04",
        CLAUDE,
        [user("x"), assistant(), user("y")],
        1,
        "The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the content "
        "field and try again.",
    ),
    (
        "BR-B04",
        CLAUDE,
        [user("x"), {"role": "assistant", "content": None}, user("y")],
        1,
        "Value null at 'messages.2.member.content' failed to satisfy constraint: Member must not be null",
    ),
    ("BR-B05", NOVA, [user("a", "")], 0, BLANK.replace("{n}", "0").replace("{m}", "1")),
    (
        "BR-B05",
        CLAUDE,
        [user(" \n")],
        0,
        "The model returned the following errors: messages: text content blocks must contain non-whitespace text",
    ),
    ("BR-B05", LLAMA, asked(result("t1", "")), 2, BLANK.replace("{n}", "2").replace("{m}", "0")),
    (
        "BR-B06",
        CLAUDE,
        [user("x"), assistant(call("t1"), call("t2")), user(result("t1"))],
        2,
        "Expected toolResult blocks at messages.2.content for the following Ids: t2",
    ),
    (
        "BR-B06",
        CLAUDE,
        [user("x"), assistant(call())],
        1,
        "Expected toolResult blocks at messages.1.content for the following Ids: t1",
    ),
    (
        "BR-B06",
        CLAUDE,
        asked("first", result()),
        2,
        "messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following "
        "`tool_use` blocks must begin with a matching number of `tool_result` blocks.",
    ),
    (
        "BR-B07",
        CLAUDE,
        [user("x"), assistant("no call"), user(result())],
        2,
        "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
    ),
    (
        "BR-B08",
        CLAUDE,
        asked(result(), result()),
        2,
        "The toolResult blocks at messages.2.content contain duplicate Ids: t1",
    ),
    (
        "BR-B09",
        CLAUDE,
        [user("x"), assistant(call("a b")), user(result("a b"))],
        1,
        "Value at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must "
        "satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
    ),
    (
        "BR-B10",
        CLAUDE,
        [user("x"), assistant(call(name="a.b")), user(result())],
        1,
        "Value 'a.b' at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must "
        "satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    ),
    (
        "BR-B12",
        CLAUDE,
        [user("x"), assistant(call(input='{"a":1}')), user(result())],
        1,
        "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field "
        "and try again.",
    ),
    (
        "BR-B12",
        CLAUDE,
        asked(result("t1", {"json": [1, 2]})),
        2,
        "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid. Provide a json object "
        "for the field and try again.",
    ),
    (
        "BR-B13",
        CLAUDE,
        asked({"toolResult": {"toolUseId": "t1", "status": "error", "content": []}}),
        2,
        "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
    ),
    ("BR-B14", LLAMA, asked({"toolResult": {"toolUseId": "t1", "content": []}}), 2, ""),
    ("BR-B15", LLAMA, asked(result(), "and"), 2, TOGETHER),
    ("BR-B15", PIXTRAL, asked(result(), "and"), 2, TOGETHER),
    ("BR-B15", PALMYRA, asked(result(), "and"), 2, TOGETHER),
    ("BR-B15", CLAUDE, asked(result(), "and", document(form="txt")), 2, BEHIND),
    (
        "BR-B15",
        LLAMA,
        [user("x"), assistant("I look.", call()), user(result())],
        1,
        "messages.1.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
    ),
    (
        "BR-B16",
        PIXTRAL,
        asked(result("t1", image())),
        2,
        "This model doesn't support the image field for user messages. Remove image and try again.",
    ),
    (
        "BR-B16",
        NOVA,
        asked(result("t1", {"video": {"format": "mp4", "source": {"bytes": b"v"}}})),
        2,
        "This model doesn't support the video content block that you provided. Update the content block and try again.",
    ),
    (
        "BR-B16",
        NOVA,
        asked(result("t1", document())),
        2,
        "The model returned the following errors: Malformed input request: #/messages/2/content/0: extraneous key "
        "[toolResult] is not permitted, please reformat your input and try again.",
    ),
    *[
        ("BR-B17", CLAUDE, [user(document(name), "sum up")], 0, NAMES)
        for name in ("John's report", "a.pdf", "a  b", "a\tb", " a", "é", "", "x" * 201)
    ],
    (
        "BR-B18",
        CLAUDE,
        [user(document("Report"), "a"), assistant("b"), user(document("report"), "c")],
        2,
        "Messages can't contain duplicate document names. Rename the document and retry your request.",
    ),
    ("BR-B19", CLAUDE, [user(document())], 0, "A text block must be included when using documents."),
    (
        "BR-B20",
        CLAUDE,
        [user("draw"), assistant(image()), user("thanks")],
        1,
        "messages.1.content: 'image' blocks are not permitted within assistant turns.",
    ),
    (
        "BR-B20",
        Bedrock.for_model("amazon.nova-micro-v1:0"),
        [user(image(), "look")],
        0,
        "This model doesn't support the image field for user messages. Remove image and try again.",
    ),
    ("BR-B21", CLAUDE, [user(*[image()] * 21, "look")], 0, ""),
    ("BR-B21", CLAUDE, [user(*[document(f"d{n}") for n in range(6)], "read")], 0, ""),
    (
        "BR-B22",
        CLAUDE,
        [user("x"), assistant(SIGNED, POINT, "a"), user("y")],
        1,
        "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try again.",
    ),
    ("BR-B22", CLAUDE, [user("x"), assistant("y"), user(POINT, "z")], 2, NOT_CACHED),
    ("BR-B22", CLAUDE, [user(document(), "?", POINT)], 0, NOT_CACHED),
    (
        "BR-B22",
        CLAUDE,
        [user("a", document(form="md"), POINT)],
        0,
        "The model returned the following errors: messages.0.content.3.type: Field required",
    ),
    (
        "BR-B22",
        LLAMA,
        [user("a", POINT)],
        0,
        "You invoked an unsupported model or your request did not allow prompt caching.",
    ),
    (
        "BR-B22",
        CLAUDE,
        [user(*["a", POINT] * 5)],
        0,
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    (
        "BR-B23",
        CLAUDE,
        [user("x"), assistant({"reasoningContent": {"reasoningText": {"text": "hm"}}}, "y"), user("z")],
        1,
        "thinking.signature: Field required",
    ),
    (
        "BR-B23",
        CLAUDE,
        [
            user("x"),
            assistant({"reasoningContent": {"reasoningText": {"text": "hm", "signature": ""}}}, "y"),
            user("z"),
        ],
        1,
        "thinking.signature: Field required",
    ),
    (
        "BR-B23",
        NOVA,
        [user("x"), assistant(SIGNED, "y"), user("z")],
        1,
        "User messages cannot contain reasoning content. Please remove the reasoning content and try again.",
    ),
    (
        "BR-B23",
        CLAUDE,
        [user("x"), assistant(SIGNED), user("z")],
        1,
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    (
        "BR-B24",
        CLAUDE,
        [user({"type": "text", "text": "x"})],
        0,
        'Unknown parameter in messages[0].content[0]: "type", must be one of: ' + ", ".join(schema.BLOCKS),
    ),
    (
        "BR-B24",
        CLAUDE,
        [user({"text": "x", **image()})],
        0,
        "Invalid number of parameters set for tagged union structure messages[0].content[0]. Can only set one of the "
        f"following keys: {', '.join(schema.BLOCKS)}.",
    ),
    (
        "BR-B24",
        CLAUDE,
        [{**user("x"), "name": "ann"}],
        0,
        'Unknown parameter in messages[0]: "name", must be one of: role, content',
    ),
    (
        "BR-B24",
        CLAUDE,
        [{"role": "user", "content": "x"}],
        0,
        "Invalid type for parameter messages[0].content, value: 'x', type: <class 'str'>, valid types: <class 'list'>, "
        "<class 'tuple'>",
    ),
    (
        "BR-B24",
        CLAUDE,
        [user("x"), assistant({"toolUse": {"toolUseId": "t1", "name": "f"}}), user(result())],
        1,
        'Missing required parameter in messages[1].content[0].toolUse: "input"',
    ),
    (
        "BR-B25",
        CLAUDE,
        [{"role": "system", "content": [{"text": "be brief"}]}, user("x")],
        0,
        "Value 'system' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: "
        "[user, assistant]",
    ),
    (
        "BR-B26",
        PALMYRA,
        asked(result(status="error")),
        2,
        "This model doesn't support the status field. Remove status and try again.",
    ),
    (
        "BR-B27",
        CLAUDE,
        [user({"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/k.png"}}}}, "x")],
        0,
        "This model doesn't support the s3Uri field. Remove s3Uri and try again.",
    ),
    (
        "BR-B28",
        CLAUDE,
        [user(image(form="jpg"), "x")],
        0,
        "Value 'jpg' at 'messages.1.member.content.1.member.image.format' failed to satisfy constraint: Member must "
        "satisfy enum value set: [png, jpeg, gif, webp]",
    ),
    ("BR-B32", CLAUDE, [user("x"), assistant(call(), "I look."), user(result())], 1, BEHIND_CALL),
    ("BR-B32", CLAUDE, [user("x"), assistant("a", call(), POINT, "b"), user(result())], 1, BEHIND_CALL),
    ("BR-B29", CLAUDE, [user("lone \ud83d")], 0, ""),
    ("BR-B30", CLAUDE, [user("x", call()), user(result())], 0, ""),
    ("BR-B30", CLAUDE, [user("x"), assistant(call(), result()), user("y")], 1, ""),
]


@pytest.mark.parametrize(("rule", "dialect", "wire", "index", "text"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_refused_is_found_and_mended(
    rule: str, dialect: Bedrock, wire: list[Wire], index: int | None, text: str
) -> None:
    found = [violation for violation in check(wire, dialect) if violation.rule == rule]
    assert (index, text) in [(violation.index, violation.error) for violation in found]
    for saved in (wire, in_json(wire)):
        repaired = MessageHistory.from_list(saved, dialect=dialect).for_send(dialect)
        assert not repaired or not check(repaired, dialect)


ACCEPTED: dict[str, tuple[Bedrock, list[Wire]]] = {
    "an assistant first, with Claude": (CLAUDE, [assistant("hello"), user("hi")]),
    "an assistant first, with Qwen": (QWEN, [assistant("hello"), user("hi")]),
    "a prefilled answer, with older Claude": (OLD_CLAUDE, [user("x"), assistant("partial")]),
    "a prefilled answer without calls, with Claude 3": (CLAUDE_3, [user("x"), assistant("partial")]),
    "a prefilled answer behind calls, with older Claude": (OLD_CLAUDE, [*asked(result()), assistant("{")]),
    "a prefilled answer, with Nova": (NOVA_2, [user("x"), assistant("{")]),
    "white space beside text, with Claude": (CLAUDE, [user("x"), assistant("\n\n", "a"), user("y")]),
    "an empty text in results, with Claude": (CLAUDE, asked(result("t1", ""))),
    "words beside calls, with Pixtral": (PIXTRAL, [user("x"), assistant("I look.", call()), user(result())]),
    "reasoning between calls": (
        CLAUDE,
        [user("x"), assistant(SIGNED, call(), SIGNED, call("t2")), user(result(), result("t2"))],
    ),
    "text beside results, with Claude": (CLAUDE, asked(result(), "and", image(), POINT)),
    "a PDF beside results, with Claude": (CLAUDE, asked(result(), "and", document())),
    "anything beside results, with Nova": (
        NOVA,
        asked(result(), "and", document(form="txt"), {"video": {"format": "mp4", "source": {"bytes": b"v"}}}),
    ),
    "words beside calls, with Nova": (NOVA, [user("x"), assistant("I look.", call()), user(result())]),
    "words beside calls and reasoning": (Bedrock(), [user("x"), assistant(SIGNED, "I look.", call()), user(result())]),
    "media in results, with Claude": (CLAUDE, asked(result("t1", image(), document()))),
    "an image in S3, with Nova": (
        NOVA,
        [user({"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/k.png"}}}}, "x")],
    ),
    "empty results, with Claude": (CLAUDE, asked({"toolResult": {"toolUseId": "t1", "content": []}})),
    "empty text in results, with Nova": (NOVA, asked(result("t1", ""))),
    "white space, with Nova": (NOVA, [user(" "), assistant("x"), user("y")]),
    "a cache point behind a PDF": (CLAUDE, [user("a", document(), POINT, "b")]),
    "a cache point behind text behind a document": (CLAUDE, [user("a", POINT, document(form="txt"), "b", POINT)]),
    "redacted reasoning": (
        CLAUDE,
        [user("x"), assistant({"reasoningContent": {"redactedContent": b"x"}}, "y"), user("z")],
    ),
    "dots and colons in ids": (CLAUDE, [user("x"), assistant(call("a.b:c")), user(result("a.b:c"))]),
    "one id in two turns": (CLAUDE, [*asked(result()), assistant(call()), user(result())]),
    "results in another order": (CLAUDE, [user("x"), assistant(call("a"), call("b")), user(result("b"), result("a"))]),
    "Nova's own tools": (
        NOVA_2,
        [
            user("x"),
            assistant(
                {
                    "toolUse": {
                        "toolUseId": "s1",
                        "name": "nova_code_interpreter",
                        "input": {},
                        "type": "server_tool_use",
                    }
                },
                {
                    "toolResult": {
                        "toolUseId": "s1",
                        "content": [{"json": {"a": 1}}],
                        "type": "nova_code_interpreter_result",
                    }
                },
                "done",
            ),
            user("y"),
        ],
    ),
}


REWRITTEN = {
    "an assistant first, with Claude",
    "an assistant first, with Qwen",
    "empty results, with Claude",
    "empty text in results, with Nova",
    "white space, with Nova",
    "dots and colons in ids",
    "results in another order",
}
"""What the API takes, and a history writes in the form that every version of it takes."""


# Media


def test_media_come_in_as_bytes_or_text_and_go_out_as_bytes() -> None:
    wire = [user(image(), document("notes", "md", b"# hi"), "look")]
    for saved in (wire, in_json(wire)):
        history = MessageHistory.from_list(saved)
        assert history[0].content[0] == ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
        assert json.loads(json.dumps(history.to_list()))
        assert history.for_send(CLAUDE) == wire
        assert json.loads(history.for_send_json(CLAUDE)) == in_json(wire)


def test_text_that_is_no_base64_is_the_bytes_of_a_document_but_no_image() -> None:
    noted = MessageHistory.from_list([user(document("notes", "md", "# hi!"), "look")])
    assert noted.for_send(CLAUDE)[0]["content"][0] == document("notes", "md", b"# hi!")
    assert codes(noted, CLAUDE) == [RepairCode.REWRITTEN]
    cut = MessageHistory.from_list([user(image("<cut>"), "look")])
    assert cut.for_send(CLAUDE)[0]["content"][0] == image(b"<cut>")
    assert codes(cut, CLAUDE) == [RepairCode.REWRITTEN]
    none = MessageHistory.from_list([user(image("x"), "look")])
    assert none.for_send(CLAUDE) == [user("[image left out: it cannot be sent here]", "look")]
    assert codes(none, CLAUDE) == [RepairCode.WITHHELD]


@pytest.mark.parametrize(
    "data", [PIXEL.rstrip("="), PIXEL[:20] + "\n" + PIXEL[20:], WITH_DASHES, f"data:image/png;base64,{PIXEL}"]
)
def test_the_bytes_that_were_looked_at_are_the_bytes_that_are_sent(data: str) -> None:
    history = MessageHistory.from_list([user(image(data), "look")])
    assert history.for_send(CLAUDE) == [user(image(), "look")]
    assert history.export(CLAUDE).repairs == ()


def test_media_of_other_dialects_are_sent_or_told_of() -> None:
    content = [
        ImageBlock({"type": "url", "url": "https://example.com/a.png"}),
        ImageBlock({"type": "base64", "media_type": "image/jpg", "data": PHOTO}),
        ImageBlock({"type": "base64", "media_type": "image/tiff", "data": "aGk="}),
        ImageBlock({"type": "url", "url": "data:image/gif;base64," + STILL}),
        DocumentBlock({"type": "text", "media_type": "text/plain", "data": "words"}, "notes.txt"),
        DocumentBlock({"type": "base64", "media_type": "text/markdown", "data": "aGk="}, "résumé, v2.md"),
        TextBlock("look"),
    ]
    wire = MessageHistory().add(Message("user", content)).for_send(CLAUDE)
    assert wire[0]["content"] == [
        {"text": "[image left out: it cannot be sent here]"},
        image(base64.b64decode(PHOTO), "jpeg"),
        {"text": "[image left out: it cannot be sent here]"},
        image(base64.b64decode(STILL), "gif"),
        document("notes", "txt", b"words"),
        document("r sum v2", "md", b"hi"),
        {"text": "look"},
    ]


def test_media_in_s3_go_back_where_they_are_read() -> None:
    place = {"s3Location": {"uri": "s3://bucket/a.pdf", "bucketOwner": "123456789012"}}
    wire = [user({"document": {"format": "pdf", "name": "a", "source": place}}, "read")]
    history = MessageHistory.from_list(wire)
    assert history.for_send(NOVA) == wire
    (found,) = check(wire, CLAUDE)
    assert found.error.endswith("messages.0.content.0.document.source.type: Field required")
    assert history.for_send(CLAUDE)[0]["content"][0] == {"text": "[document left out: it cannot be sent here]"}
    in_result = [*asked(result("t1", wire[0]["content"][0]))]
    assert check(in_result, CLAUDE) == []
    assert MessageHistory.from_list(in_result, dialect=CLAUDE).for_send(CLAUDE) == in_result
    assert history.for_send(LLAMA)[0]["content"][0] == {"text": "[document left out: it cannot be sent here]"}


def test_document_names_are_distinguished_in_the_order_in_which_they_come() -> None:
    history = MessageHistory.from_list([user(document("a.pdf"), document("A"), document("a 2"), "read")])
    names = [block["document"]["name"] for block in history.for_send(CLAUDE)[0]["content"] if "document" in block]
    assert names == ["a", "A 2", "a 2 2"]
    later = history.add_assistant("ok").add(Message.user(DocumentBlock({"type": "text", "data": "x"}, "a"), "again"))
    assert later.for_send(CLAUDE)[0] == history.for_send(CLAUDE)[0]
    assert later.for_send(CLAUDE)[2]["content"][0]["document"]["name"] == "a 3"
    long = MessageHistory.from_list([user(document("x" * 250), document("x" * 250), document(None), "read")])  # type: ignore[arg-type]
    names = [block["document"]["name"] for block in long.for_send(CLAUDE)[0]["content"] if "document" in block]
    assert names == ["x" * 200, "x" * 198 + " 2", "document"]


def test_a_document_gets_a_text_beside_it() -> None:
    history = MessageHistory.from_list(asked(result(), document()))
    assert history.for_send(NOVA)[2]["content"] == [result(), {"text": "[Documents: report]"}, document()]
    assert codes(history, NOVA) == [RepairCode.PLACEHOLDER_ADDED]
    in_a_result = MessageHistory.from_list(asked(result("t1", document())))
    assert in_a_result.for_send(CLAUDE)[2]["content"] == [result("t1", document())]


def test_what_a_result_may_not_hold_follows_with_a_note() -> None:
    video = {"video": {"format": "mp4", "source": {"bytes": b"v"}}}
    history = MessageHistory.from_list(asked(result("t1", "here", image(), video), "what is it?"))
    assert history.for_send(NOVA)[2]["content"] == [
        result("t1", "here", image(), "[The video follows the results.]"),
        {"text": "[The video that tool call t1 gave:]"},
        video,
        {"text": "what is it?"},
    ]
    alone = history.for_send(PIXTRAL)
    recorded = '{"video": {"format": "mp4", "source": {"bytes": "dg=="}}}'
    assert alone[2] == user(result("t1", "here", "[The image follows the results.]", recorded))
    assert alone[3] == assistant(".")
    assert alone[4] == user("[The image that tool call t1 gave:]", image(), "what is it?")


def test_more_media_than_a_message_may_hold_follow_in_others() -> None:
    history = MessageHistory.from_list([user(*[image()] * 45, *[document(f"d{n}") for n in range(6)], "look")])
    wire = history.for_send(CLAUDE)
    assert [sum("image" in block for block in entry["content"]) for entry in wire] == [20, 0, 20, 0, 5, 0, 0]
    assert [sum("document" in block for block in entry["content"]) for entry in wire] == [0, 0, 0, 0, 5, 0, 1]
    assert not check(wire, CLAUDE)
    many = MessageHistory.from_list(asked(result("t1", *[image()] * 22), "look"))
    assert not check(many.for_send(CLAUDE), CLAUDE)
    assert str(in_json(many.for_send(CLAUDE))).count("'format': 'png'") == 22


def test_the_media_of_results_are_counted_in_each_message() -> None:
    most = [*[image()] * CLAUDE.max_images, *(document(f"d{n}") for n in range(CLAUDE.max_documents))]
    raw = [user("q"), *(entry for _ in range(2) for entry in (assistant(call()), user(result("t1", *most))))]
    exported = MessageHistory.from_list(raw).export(CLAUDE)
    assert "follows the results" not in str(exported.messages)
    assert "BR-B16" not in str(exported.repairs)


# Turns


def test_what_may_not_stand_beside_results_follows_a_short_answer() -> None:
    history = MessageHistory.from_list(asked(result(), "and now?"))
    for dialect in (LLAMA, PIXTRAL, PALMYRA):
        assert history.for_send(dialect)[2:] == [user(result()), assistant("."), user("and now?")]
        assert codes(history, dialect) == [RepairCode.PLACEHOLDER_ADDED]
    for dialect in (Bedrock(), CLAUDE, NOVA, QWEN):
        assert history.for_send(dialect)[2:] == [user(result(), "and now?")]
        assert codes(history, dialect) == []


def test_words_and_calls_share_a_message_except_where_that_was_refused() -> None:
    wire = [user("x"), assistant("I look.", call()), user(result())]
    history = MessageHistory.from_list(wire)
    assert history.for_send(CLAUDE) == history.for_send(Bedrock()) == wire
    assert history.for_send(LLAMA) == [user("x"), assistant("I look."), user("."), assistant(call()), user(result())]
    cached = Bedrock(text_with_calls=False, server_tools=False, beside_results=frozenset({"text"}))
    marked = MessageHistory.from_list(
        [user("x"), assistant("I look.", POINT, call(), POINT), user(result(), *["y", POINT] * 3)]
    )
    assert marked.for_send(cached)[1:4] == [assistant("I look."), user("."), assistant(call(), POINT)]
    thinking = [user("x"), assistant(SIGNED, "I look.", call()), user(result())]
    assert MessageHistory.from_list(thinking).for_send(Bedrock(text_with_calls=False, server_tools=False)) == thinking


def test_ids_names_and_inputs_fit() -> None:
    history = MessageHistory().add_user("q")
    calls = [ToolUseBlock("functions.f:0", "a.b", {"a": 1}), ToolUseBlock("x" * 70, "y" * 80, {"_raw": "{"})]
    history = history.add_assistant(calls).add_tool_result("functions.f:0", "r").add_tool_result("x" * 70, "s")
    wire = history.for_send(CLAUDE)
    uses = [block["toolUse"] for block in wire[1]["content"]]
    assert [block["toolResult"]["toolUseId"] for block in wire[2]["content"]] == [use["toolUseId"] for use in uses]
    assert all(schema.ID.fullmatch(use["toolUseId"]) and len(use["toolUseId"]) <= 64 for use in uses)
    assert all(schema.NAME.fullmatch(use["name"]) and len(use["name"]) <= 64 for use in uses)
    assert [use["input"] for use in uses] == [{"a": 1}, {"_raw": "{"}]
    assert wire == MessageHistory.from_list(wire).for_send(CLAUDE)


def test_inputs_that_came_as_text_are_read() -> None:
    history = MessageHistory.from_list([user("q"), assistant(call(input='{"a": 1}')), user(result())])
    assert history[1].calls[0].input == {"a": 1}
    assert history.for_send(CLAUDE)[1] == assistant(call(input={"a": 1}))


def test_json_results_are_text_to_all_others_and_go_back_as_json() -> None:
    wire = asked(result("t1", {"json": {"b": [1, 2.5], "a": "é"}}, "and text"))
    history = MessageHistory.from_list(wire)
    assert history[2].results[0].text == '{"b": [1, 2.5], "a": "é"}\nand text'
    assert history.for_send(CLAUDE) == wire
    assert Anthropic().render(history).messages[2]["content"][0]["content"][0]["type"] == "text"
    listed = MessageHistory.from_list(asked(result("t1", {"json": [1, 2]})))
    assert listed.for_send(CLAUDE)[2] == user(result("t1", "[1, 2]"))


def test_an_error_says_so_in_the_way_that_the_model_knows() -> None:
    history = MessageHistory.from_list(asked(result("t1", "no such file", status="error")))
    assert history[2].results[0].is_error
    assert history.for_send(CLAUDE)[2] == user(result("t1", "no such file", status="error"))
    assert history.for_send(PALMYRA)[2] == user(result("t1", "Error: no such file"))
    assert codes(history, PALMYRA) == [RepairCode.REWRITTEN]
    silent = MessageHistory.from_list(asked({"toolResult": {"toolUseId": "t1", "status": "error", "content": []}}))
    assert silent.for_send(CLAUDE)[2] == user(result("t1", "(no output)", status="error"))
    good = asked(result(status="success"))
    assert MessageHistory.from_list(good).for_send(CLAUDE) == good
    assert MessageHistory.from_list(good).for_send(PALMYRA) == asked(result())


def test_system_words_stand_beside_the_messages_or_in_the_user_s() -> None:
    raw = [
        {"role": "system", "content": [{"text": "Be brief."}, POINT]},
        user("a"),
        assistant("b"),
        {"role": "system", "content": [{"text": "Be kind."}]},
        user("c"),
    ]
    history = MessageHistory.from_list(raw)
    exported = history.export(CLAUDE)
    assert exported.system == [{"text": "Be brief."}, POINT]
    assert exported.messages == [user("a"), assistant("b"), user("<system>\nBe kind.\n</system>", "c")]
    assert history.export(LLAMA).system == [{"text": "Be brief."}]
    assert MessageHistory().add_user("a").export(CLAUDE).system is None
    assert SystemBlock("Be kind.") in history[2].content


def test_a_prefilled_answer_ends_without_white_space() -> None:
    history = MessageHistory().add_user("a").add_assistant("It is \n")
    assert history.for_send(OLD_CLAUDE) == [user("a"), assistant("It is")]
    assert history.for_send(CLAUDE) == [user("a"), assistant("It is \n"), user("[Please continue.]")]


# Reasoning


def test_signed_reasoning_is_claude_s_and_good_for_both_apis() -> None:
    wire = [user("a"), assistant(SIGNED, {"reasoningContent": {"redactedContent": b"RW5j"}}, "b"), user("c")]
    for saved in (wire, in_json(wire)):
        history = MessageHistory.from_list(saved)
        assert history[1].content[:2] == (
            ThinkingBlock("hm", "c2ln", meta=Meta(issuer="anthropic")),
            RedactedThinkingBlock("RW5j", meta=Meta(issuer="anthropic")),
        )
        assert history.for_send(CLAUDE) == wire
        assert history.for_send()[1]["content"] == [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "RW5j"},
            {"type": "text", "text": "b"},
        ]
        assert history.for_send(NOVA)[1] == assistant("b")
    there = MessageHistory.from_list(history.for_send())
    assert there.for_send(CLAUDE) == wire


def test_redacted_reasoning_that_is_no_text_goes_back_as_it_came() -> None:
    wire = [user("a"), assistant({"reasoningContent": {"redactedContent": b"\xff\x00"}}, "b"), user("c")]
    history = MessageHistory.from_list(wire)
    assert history.for_send(CLAUDE) == wire
    assert MessageHistory.from_list(history.to_list()).for_send(CLAUDE) == wire
    assert [block["type"] for block in history.for_send()[1]["content"]] == ["text"]


def test_reasoning_that_cannot_go_back_is_left_out() -> None:
    content = [
        ThinkingBlock("unsigned", meta=Meta(issuer="bedrock")),
        ThinkingBlock("other", "c2ln", meta=Meta(issuer="gemini")),
        ThinkingBlock("moved", "c2ln", bound=False),
        ThinkingBlock("lone \ud83d", "c2ln"),
        TextBlock("b"),
        ThinkingBlock("trailing", "c2ln"),
    ]
    history = MessageHistory().add_user("a").add_assistant(content).add_user("c")
    assert history.for_send(Bedrock())[1] == assistant("b")
    omitted = [repair.removed for repair in history.export(Bedrock()).repairs if repair.code is RepairCode.WITHHELD]
    assert omitted == [(block,) for block in content if isinstance(block, ThinkingBlock)]
    assert len(history.for_send(OLD_CLAUDE)[1]["content"]) == 2
    behind = [ToolUseBlock("t1", "f", {}), TextBlock("I look."), ThinkingBlock("hm", "c2ln")]
    parted = MessageHistory().add_user("a").add_assistant(behind).add_tool_result("t1", "ok")
    assert parted.for_send(Bedrock())[1:3] == [assistant("I look.", call()), user(result())]
    alone = MessageHistory().add_user("a").add_assistant([ThinkingBlock("hm", "c2ln")]).add_user("c")
    assert [list(block) for block in alone.for_send(CLAUDE)[1]["content"]] == [["text"]]


# Cache points, citations, guards, unknown things


def test_cache_points_move_before_documents_or_go() -> None:
    def sent(*blocks: Any, dialect: Bedrock = CLAUDE) -> Any:
        return MessageHistory.from_list([user(*blocks)]).for_send(dialect)[0]["content"]

    text, notes = {"text": "a"}, document(form="txt")
    assert sent("a", notes, POINT) == [text, POINT, notes]
    assert sent("a", document(), POINT) == [text, document(), POINT]
    assert sent(document(), "a", POINT) == [document(), text]
    assert sent(POINT, "a") == [text]
    assert sent("a", POINT, POINT, "b") == [text, POINT, {"text": "b"}]
    assert sent("a", POINT, dialect=LLAMA) == [text]
    assert sent(*["a", POINT] * 6).count(POINT) == 4
    late = {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert sent("a", late) == [text, late]
    assert sent("a", late, dialect=NOVA) == [text, POINT]


def test_the_earliest_cache_points_of_the_messages_go_first() -> None:
    history = MessageHistory.from_list(
        [
            {"role": "system", "content": [{"text": "s"}, POINT]},
            *[user("a", POINT), assistant("b", POINT)] * 3,
            user("c"),
        ]
    )
    exported = history.export(CLAUDE)
    assert exported.system == [{"text": "s"}, POINT]
    assert [POINT in entry["content"] for entry in exported.messages] == [False] * 3 + [True] * 3 + [False]
    assert [repair.index for repair in exported.repairs] == [0, 1, 2]


def test_a_cache_point_goes_with_what_it_follows() -> None:
    wire = [user("x"), assistant(call("a"), call("b"), POINT), user(result("a"), result("b"), POINT)]
    history = MessageHistory.from_list(wire)
    assert history.for_send(CLAUDE) == wire
    assert len(history[1].content) == 2
    emptied = MessageHistory.from_list(
        [user("x"), assistant({"reasoningContent": {"reasoningText": {"text": "hm"}}}, POINT), user("y")]
    )
    assert [list(block) for block in emptied.for_send(CLAUDE)[1]["content"]] == [["text"]]


def test_citations_and_guarded_content_are_text_to_all_others() -> None:
    cited = {"citationsContent": {"content": [{"text": "It is "}, {"text": "so."}], "citations": [{"title": "a"}]}}
    guarded = {"guardContent": {"text": {"text": "Is it?", "qualifiers": ["query"]}}}
    wire = [user(guarded), assistant(cited), user("c")]
    history = MessageHistory.from_list(wire)
    assert [message.text for message in history] == ["Is it?", "It is so.", "c"]
    assert history.for_send(CLAUDE) == wire
    assert MessageHistory.from_list(history.to_list()).for_send(CLAUDE) == wire
    assert history.for_send(LLAMA)[1] == assistant("It is so.")
    assert history.for_send()[0]["content"] == [{"type": "text", "text": "Is it?"}]
    pictured = [user({"guardContent": image()}, "b")]
    assert MessageHistory.from_list(pictured).for_send(CLAUDE) == pictured


def test_server_tools_keep_to_their_model() -> None:
    used = {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}}
    got = {"toolResult": {"toolUseId": "s1", "content": [{"json": {"a": 1}}], "type": "nova_grounding_result"}}
    history = MessageHistory.from_list([user("x"), assistant(used, got, "done", call()), user(result())])
    assert not history.repairs
    assert history.for_send(NOVA_2)[1] == assistant(used, got, "done", call())
    assert history.for_send(CLAUDE)[1] == assistant("done", call())
    twice = (
        MessageHistory()
        .add_user("x")
        .add_assistant([ProviderBlock("bedrock", block) for block in (used, used, got, got)])
    )
    assert twice.add_user("y").for_send(NOVA_2)[1] == assistant(used, got)
    torn = MessageHistory.from_list([user("x"), assistant(used, "done"), user("y")])
    assert torn.for_send(NOVA_2)[1] == assistant("done")
    assert not torn.awaiting


@pytest.mark.parametrize("key", schema.BLOCKS)
def test_a_list_is_known_by_any_of_its_blocks(key: str) -> None:
    assert dialect_of([user({key: {}})]).name == "bedrock"


def test_unknown_keys_and_members_are_kept_and_not_sent() -> None:
    unknown = {"SDK_UNKNOWN_MEMBER": {"name": "future"}}
    raw = [{**user({"text": "x", "note": 1}), "id": "m1"}, assistant(unknown, "y"), user("z")]
    history = MessageHistory.from_list(raw, dialect=CLAUDE)
    assert history.for_send(CLAUDE) == [user("x"), assistant("y"), user("z")]
    omitted = [repair.removed[0] for repair in history.export(CLAUDE).repairs]
    assert omitted[0] == {"note": 1, "id": "m1"}
    assert omitted[1] == ProviderBlock("bedrock", unknown)


NEW = {"later": "(new)"}
PLACE = {"uri": "s3://bucket/a.png", "bucketOwner": "123456789012"}
WITH_MORE: dict[str, list[Wire]] = {
    "a source": [user({"image": {"format": "png", "source": {"bytes": PIXEL, **NEW}}}, "look")],
    "the source of a document": [
        user({"document": {"format": "pdf", "name": "a", "source": {"bytes": "aGk=", **NEW}}})
    ],
    "text in a source": [user({"document": {"format": "txt", "name": "a", "source": {"text": "hi", **NEW}}})],
    "a part of a source": [user({"document": {"name": "a", "source": {"content": [{"text": "hi", **NEW}]}}})],
    "a place in S3": [user({"image": {"format": "png", "source": {"s3Location": {**PLACE, **NEW}}}}, "look")],
    "a source with two": [
        user({"image": {"format": "png", "source": {"bytes": PIXEL, "s3Location": {**PLACE, **NEW}}}})
    ],
    "an image": [user({"image": {"format": "png", "source": {"bytes": PIXEL}, "name": "(new)"}}, "look")],
    "the name of a document": [user({"document": {"format": "pdf", "name": ["(new)"], "source": {"bytes": "aGk="}}})],
    "citations of a document": [
        user({"document": {"format": "pdf", "name": "a", "source": {"bytes": "aGk="}, "citations": NEW}})
    ],
    "reasoning": [user("q"), assistant({"reasoningContent": {**SIGNED["reasoningContent"], **NEW}}, "a"), user("r")],
    "reasoning of two kinds": [
        user("q"),
        assistant({"reasoningContent": {**SIGNED["reasoningContent"], "redactedContent": "(new)"}}, "a"),
        user("r"),
    ],
    "redacted reasoning": [
        user("q"),
        assistant({"reasoningContent": {"redactedContent": b"x", **NEW}}, "a"),
        user("r"),
    ],
    "text of reasoning": [
        user("q"),
        assistant({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln", **NEW}}}, "a"),
        user("r"),
    ],
    "a signature": [
        user("q"),
        assistant({"reasoningContent": {"reasoningText": {"text": "hm", "signature": ["(new)"]}}}, "a"),
        user("r"),
    ],
    "a cache point": [user("q", {"cachePoint": {"type": "default", **NEW}})],
    "a cache point of another type": [user("q", {"cachePoint": {"type": "(new)"}})],
    "a cache point that is none": [user("q", {"cachePoint": ["(new)"]})],
    "a key beside a cache point": [user("q", {**POINT, **NEW})],
    "a guard": [user({"guardContent": {"text": {"text": "q"}, **NEW}}, "r")],
    "guarded text": [user({"guardContent": {"text": {"text": "q", "qualifiers": ["(new)"]}}}, "r")],
    "cited words": [
        user("q"),
        assistant({"citationsContent": {"content": [{"text": "a"}], "citations": [], **NEW}}),
        user("r"),
    ],
    "a status": asked(result(status="(new)")),
    "an empty text of a result": asked({"toolResult": {"toolUseId": "t1", "content": [{"text": "", **NEW}]}}),
    "a search result": [
        user({"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}], **NEW}}, "q"),
    ],
    "a video": [user({"video": {"format": "mp4", "source": {"bytes": "aGk=", **NEW}}}, "look")],
}


@pytest.mark.parametrize("blank", ["", "   ", "\n\n"])
def test_claude_and_nova_take_blank_texts_in_results_that_are_no_errors(blank: str) -> None:
    raw = asked({"toolResult": {"toolUseId": "t1", "content": [{"text": blank}]}})
    assert [check(raw, dialect) for dialect in (CLAUDE, NOVA)] == [[], []]
    assert [violation.rule for violation in check(raw, LLAMA)] == ["BR-B05"]
    error = asked({"toolResult": {"toolUseId": "t1", "content": [{"text": blank}], "status": "error"}})
    assert [violation.rule for violation in check(error, CLAUDE)] == ["BR-B05"]


@pytest.mark.parametrize("place", WITH_MORE)
def test_what_is_not_known_is_kept_wherever_it_stands_and_told_by_every_export(place: str) -> None:
    history = MessageHistory.from_list(WITH_MORE[place], dialect=CLAUDE)
    assert "(new)" in json.dumps(history.to_list())
    assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history
    for dialect in (CLAUDE, NOVA, LLAMA, Anthropic()):
        exported = history.export(dialect)
        assert "(new)" not in str(in_json(exported.messages))
        assert "(new)" in removed_text(exported.repairs)
        assert not check(exported.messages, dialect)


def test_what_has_no_place_is_told_at_once() -> None:
    for content in (
        [{**POINT, **NEW}, {"text": "q"}],
        [{"text": "q"}, POINT, {"cachePoint": NEW}],
        [{"text": "q", "later": 1}, {**POINT, **NEW}],
        [{"image": {"format": "png", "source": {"bytes": PIXEL}, "later": 1}, **NEW}],
    ):
        history = MessageHistory.from_list([user(*content)])
        assert [repair.code for repair in history.repairs] == [RepairCode.ENTRY_DROPPED]
        assert "(new)" in removed_text(history.repairs)


@pytest.mark.parametrize("form", ["jpg", "PNG", ["png"], {"a": 1}, 7])
def test_a_format_that_is_taken_for_another_is_in_the_repairs(form: Any) -> None:
    history = MessageHistory.from_list([user(image(form=form), "look")])
    (repair,) = history.repairs
    assert repair.code is RepairCode.VALUE_CONVERTED
    assert repair.removed == (form,)
    assert "image" in history.for_send(CLAUDE)[0]["content"][0]


def test_a_format_that_nobody_knows_stays_as_it_is() -> None:
    history = MessageHistory.from_list([user(document(form="XyZ"), "read")])
    assert history.repairs == ()
    assert history[0].content[0] == DocumentBlock(
        {"type": "base64", "media_type": "application/XyZ", "data": "cGRm"}, "report"
    )


def test_a_document_whose_source_is_text_keeps_its_format() -> None:
    for source in ({"text": "# hi"}, {"content": [{"text": "# hi"}]}):
        history = MessageHistory.from_list(
            [user({"document": {"format": "md", "name": "a", "source": source}}, "read")]
        )
        assert history.for_send(CLAUDE) == [user(document("a", "md", b"# hi"), "read")]
        assert codes(history, CLAUDE) == []
    parts = [{"text": "a"}, {"text": "b"}]
    history = MessageHistory.from_list([user({"document": {"name": "a", "source": {"content": parts}}}, "read")])
    assert history.for_send(CLAUDE) == [user(document("a", "txt", b"a\n\nb"), "read")]
    assert json.dumps(parts) in json.dumps(history.to_list())


def test_the_media_type_of_a_text_is_told() -> None:
    source = {"type": "text", "media_type": "text/x", "data": "words"}
    exported = MessageHistory().add(Message.user(DocumentBlock(source, "notes"), "read")).export(CLAUDE)
    assert exported.messages == [user(document("notes", "txt", b"words"), "read")]
    assert removed_text(exported.repairs) == '[{"media_type": "text/x"}]'


def test_blocks_with_several_keys_are_read_as_several() -> None:
    history = MessageHistory.from_list([user({"text": "x", **image()})], dialect=CLAUDE)
    assert history.for_send(CLAUDE) == [user("x", image())]
    assert [repair.code for repair in history.repairs] == [RepairCode.VALUE_CONVERTED]


# Responses, models


def test_a_response_is_read() -> None:
    response = {
        "output": {"message": assistant(SIGNED, "I look.", call())},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1},
    }
    history = MessageHistory().add_user("q").add_response(response)
    assert [type(block) for block in history[1].content] == [ThinkingBlock, TextBlock, ToolUseBlock]
    assert history.add_tool_result("t1", "r").for_send(CLAUDE)[1] == assistant(SIGNED, "I look.", call())
    assert Bedrock().reply({"output": {}}) is None
    assert Bedrock().reply({"output": [{"type": "message"}]}) is None


def test_the_last_call_of_a_response_that_was_cut_off_is_dropped() -> None:
    for reason in ("max_tokens", "malformed_tool_use"):
        response = {"output": {"message": assistant("I look.", call(input={"a": "hal"}))}, "stopReason": reason}
        history = MessageHistory().add_user("q").add_response(response)
        assert not history.awaiting
        assert history[1].text == "I look."
        (omitted,) = history.export(OLD_CLAUDE).repairs
        assert omitted.removed == (FrozenDict(stopReason=reason),)


def test_neighbours_are_taken_as_one_message_by_claude_and_nova() -> None:
    wire = [*asked(result()), user("and?")]
    assert not check(wire, CLAUDE_3)
    assert not check(wire, NOVA)
    assert [violation.rule for violation in check(wire, LLAMA)] == ["BR-B02"]


def test_text_goes_before_the_calls_of_claude_with_its_cache_point_and_that_is_recorded() -> None:
    history = MessageHistory.from_list([user("x"), assistant(call(), POINT, "I look.", POINT), user(result())])
    export = history.export(CLAUDE)
    assert export.messages[1] == assistant("I look.", POINT, call(), POINT)
    assert [repair.code for repair in export.repairs] == [RepairCode.REWRITTEN]


def test_an_answer_behind_calls_is_not_prefilled_with_claude_3() -> None:
    history = MessageHistory.from_list([*asked(result()), assistant("{")])
    assert history.for_send(OLD_CLAUDE)[-1]["role"] == "assistant"
    assert history.for_send(CLAUDE_3)[-1]["role"] == "user"


def test_documents_of_one_name_are_numbered_in_time_in_proportion_to_their_number() -> None:
    def lines(count: int) -> int:
        blocks = [DocumentBlock({"type": "text", "media_type": "text/plain", "data": "t"}, "a") for _ in range(count)]
        history = MessageHistory().add_user(blocks)
        names = [block["document"]["name"] for each in history.for_send(NOVA)[::2] for block in each["content"][-1:]]
        assert names[0] == "a 5"
        return lines_of(lambda: history.for_send(NOVA))

    assert lines(400) < 5 * lines(100)


def test_a_long_document_name_is_recorded_whole() -> None:
    history = MessageHistory().add_user(
        [TextBlock("q"), DocumentBlock({"type": "text", "media_type": "text/plain", "data": "t"}, "n" * 300)]
    )
    (repair,) = history.export(CLAUDE).repairs
    (block,) = repair.removed
    assert isinstance(block, DocumentBlock)
    assert block.title == "n" * 300


def test_keys_of_a_source_that_are_not_sent_are_recorded() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL, "secret": "s"}
    history = MessageHistory().add_user([TextBlock("q"), ImageBlock(source)])
    (repair,) = history.export(CLAUDE).repairs
    assert repair.removed == (FrozenDict(secret="s"),)


def test_the_check_of_many_calls_takes_time_in_proportion() -> None:
    def lines(count: int) -> int:
        ids = [f"t{n}" for n in range(count)]
        wire = [user("x"), assistant(*map(call, ids)), user(*map(result, ids))]
        assert not check(wire, CLAUDE)
        return lines_of(lambda: check(wire, CLAUDE))

    assert lines(400) < 5 * lines(100)


def test_without_a_model_what_some_family_takes_is_sent_as_it_came() -> None:
    """Requests with these were taken, and the families that refuse them have rows of their own."""
    video = {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://bucket/v.mp4"}}}}
    empty = {"toolResult": {"toolUseId": "t2", "content": [{"text": ""}], "status": "success"}}
    wire = [
        user("x", POINT),
        assistant("I look.", call(), call("t2")),
        user(result("t1", "ok", image(), status="error"), empty, document(), "and", video),
    ]
    assert not check(wire, Bedrock())
    assert MessageHistory.from_list(wire, dialect=Bedrock()).for_send(Bedrock()) == wire
    assert {violation.rule for violation in check(wire, LLAMA)} >= {"BR-B05", "BR-B15", "BR-B20", "BR-B22", "BR-B27"}
    assert not check(MessageHistory.from_list(wire).for_send(LLAMA), LLAMA)


def test_an_unknown_model_gets_the_defaults() -> None:
    for name in ("", "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc", "acme.new-v1:0"):
        assert Bedrock.for_model(name) == Bedrock()
    assert CLAUDE.beside_results == {"text", "image", "pdf"}
    assert not CLAUDE.prefill
    assert OLD_CLAUDE.prefill
    assert Bedrock.for_model("anthropic.claude-3-haiku-20240307-v1:0").cache_points is False
    assert Bedrock.for_model("anthropic.claude-3-5-sonnet-20241022-v2:0").cache_points is True
    assert Bedrock.for_model("anthropic.claude-3-5-sonnet-20241022-v2:0").cache_ttl is False
    assert CLAUDE.cache_ttl
    assert NOVA.media >= {"video"}
    assert not NOVA.reasoning
    assert not PALMYRA.status
    for row in schema.MODELS:
        assert row.source.startswith("https://")
        assert len(row.date) == 7
        assert row.fields.keys() <= {field.name for field in Bedrock.__attrs_attrs__}


# Golden lists


def conversation() -> MessageHistory:
    """Make a conversation with a bit of everything."""
    history = MessageHistory().with_system("Be brief.")
    report = DocumentBlock({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}, "John's report.pdf")
    history = history.add(Message.user(report))
    history = history.add_assistant(
        [
            ThinkingBlock("I need both.", "c2ln", meta=Meta(issuer="anthropic")),
            TextBlock("I look."),
            ToolUseBlock("functions.find:0", "find.all", {"q": "x"}),
            ToolUseBlock("functions.find:1", "find.all", {"q": "y"}),
        ]
    )
    chart = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    history = history.add_tool_result("functions.find:0", ["a chart", chart])
    history = history.add_tool_result("functions.find:1", "", is_error=True)
    history = history.add(Message.user(report, "And this?", SystemBlock("Answer in French.")))
    return history.add_assistant("Voilà.").add_user("Merci.")


@pytest.mark.parametrize(
    ("name", "dialect"), [("default", Bedrock()), ("claude", CLAUDE), ("nova", NOVA), ("llama", LLAMA)]
)
def test_golden(name: str, dialect: Bedrock) -> None:
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    exported = conversation().export(dialect)
    assert {"system": exported.system, "messages": in_json(exported.messages)} == expected
    assert not check(exported.messages, dialect)


# Properties


def own_blocks() -> st.SearchStrategy[Any]:
    """Generate blocks that only Converse has."""
    extras = st.sampled_from(
        (
            {"cachePoint": {"type": "default"}},
            {"cachePoint": {"type": "default", "ttl": "1h"}},
            {"guardContent": {"qualifiers": ["query"]}},
            {"guardContent": {"qualifiers": ["x"]}},
            {"citationsContent": {"content": [{"text": "a"}], "citations": []}},
            {"citationsContent": {"content": [{"text": ""}]}},
            {"json": True},
            {},
        )
    )
    metas = st.builds(lambda extra: Meta(extra=FrozenDict({"bedrock": extra})), extras)
    source = {"type": "base64", "media_type": "application/pdf", "data": "aGk="}
    kinds = st.sampled_from(("application/pdf", "text/csv", "text/plain", "image/png", "x"))
    use = {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}}
    got = {"toolResult": {"toolUseId": "s1", "content": [{"json": {}}], "type": "nova_grounding_result"}}
    search = {"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}]}}
    data = st.sampled_from(
        (
            {"video": {"format": "mp4", "source": {"bytes": "aGk="}}},
            {"video": {"format": "avi", "source": {"bytes": "aGk="}}},
            {"video": 5},
            {"audio": {"format": "mp3", "source": {"bytes": "aGk="}}},
            use,
            got,
            search,
            {"searchResult": {"source": "s"}},
        )
    )
    titles = st.sampled_from((None, "a", "A", "a.pdf", "é", "x" * 300, "a  b"))
    return st.one_of(
        st.builds(lambda text, meta: TextBlock(text, meta=meta), st.sampled_from(("a", " ", '{"b": 1}')), metas),
        st.builds(lambda called, meta: ToolUseBlock(called, "f", {}, meta=meta), st.sampled_from(("1", "s1")), metas),
        st.builds(
            lambda kind, title, meta: DocumentBlock({**source, "media_type": kind}, title, meta=meta),
            kinds,
            titles,
            metas,
        ),
        st.builds(lambda kind, meta: ImageBlock({**source, "media_type": kind}, meta=meta), kinds, metas),
        st.builds(lambda meta: ThinkingBlock("hm", "c2ln", meta=meta), metas),
        st.just(RedactedThinkingBlock("/wA=", meta=Meta(issuer="bedrock"))),
        st.builds(ProviderBlock, st.just("bedrock"), data),
    )


def with_own_blocks() -> st.SearchStrategy[MessageHistory]:
    added = st.lists(
        st.builds(Message, st.sampled_from(("user", "assistant")), st.lists(own_blocks(), min_size=1, max_size=8)),
        max_size=4,
    )
    return st.builds(MessageHistory.extend, histories(), added)


@every_variant
def test_every_export_is_valid_and_comes_back(dialect: Bedrock) -> None:
    @given(with_own_blocks())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        assert not wire or not check(wire, dialect)
        for saved in (wire, json.loads(json.dumps(in_json(wire)))):
            for chosen in (dialect, None):
                loaded = MessageHistory.from_list(saved, dialect=chosen)
                # Without the dialect, nobody says that a leading assistant is taken.
                is_unsaid = chosen is None and dialect.takes_leading_assistant()
                allowed = {RepairCode.BOOTSTRAP_ADDED} if is_unsaid else set[RepairCode]()
                assert {repair.code for repair in loaded.repairs} <= allowed
                assert loaded.for_send(dialect) == wire

    law()


@every_variant
def test_rendering_is_causal(dialect: Bedrock) -> None:
    @given(with_own_blocks(), st.lists(messages(), max_size=3))
    def law(history: MessageHistory, after: list[Message]) -> None:
        closed = history.as_sent(dialect)
        sent = closed.for_send(dialect)
        if not closed or closed[-1].role == "assistant" or str(sent).count("cachePoint") > 2:
            return  # the limit of cache points is a declared exception, and an answer to be gone on with
        later = closed.add(Message.assistant("reply"))
        for message in after:
            later = later.add(message)
        assert later.for_send(dialect)[: len(sent)] == sent

    law()


# Material beside the project


def in_converse(message: Wire) -> Wire:
    """Translate a message of the Messages API."""
    content = message["content"]
    blocks: list[Any] = [{"text": content}] if isinstance(content, str) else []
    for block in content if isinstance(content, list) else ():
        if block["type"] == "text":
            blocks.append({"text": block["text"]})
        elif block["type"] == "tool_use":
            blocks.append(call(block["id"], block["name"], block["input"]))
        elif block["type"] == "tool_result":
            parts = [{"text": block["content"]}] if block["content"] else []
            status = {"status": "error"} if block.get("is_error") else {}
            blocks.append({"toolResult": {"toolUseId": block["tool_use_id"], "content": parts, **status}})
    return {"role": message["role"], "content": blocks}


VOXTRAL = Bedrock.for_model("mistral.voxtral-mini-3b-2507")
SOUND = {"audio": {"format": "wav", "source": {"bytes": b"RIFF"}}}


@pytest.mark.parametrize(
    ("raw", "dialect"),
    [
        # Requests of ruby_llm's and rig's recordings, which were answered.
        ([user("What is said?", SOUND)], VOXTRAL),
        ([user("What is said?", SOUND)], Bedrock()),
        ([user("x"), assistant({"reasoningContent": {"reasoningText": {"text": "hm"}}}, "y"), user("z")], NOVA_2),
    ],
)
def test_what_was_recorded_goes_back_as_it_came(raw: list[Any], dialect: Bedrock) -> None:
    assert check(raw, dialect) == []
    sent = MessageHistory.from_list(raw, dialect=dialect).export(dialect)
    assert sent.messages == raw
    assert sent.repairs == ()


def test_an_image_may_have_a_name_which_no_sdk_knows() -> None:
    raw = [user("x", {"image": {"format": "png", "name": "1 ruby", "source": {"bytes": base64.b64decode(PIXEL)}}})]
    assert check(raw, CLAUDE) == []
    assert "name" not in MessageHistory.from_list(raw, dialect=CLAUDE).for_send(CLAUDE)[0]["content"][1]["image"]


@pytest.mark.parametrize("dialect", [CLAUDE, NOVA, LLAMA])
def test_audio_is_refused_by_models_that_take_none(dialect: Bedrock) -> None:
    assert [found.rule for found in check([user("x", SOUND)], dialect)] == ["BR-B20"]
    assert not check(MessageHistory.from_list([user("x", SOUND)], dialect=dialect).for_send(dialect), dialect)


def test_only_the_ids_that_calls_share_are_named() -> None:
    calls: list[dict[str, Any]] = [{"toolUse": {"toolUseId": id, "name": "f", "input": {}}} for id in ("a", "b", "a")]
    results = [{"toolResult": {"toolUseId": id, "content": [{"text": "r"}]}} for id in ("a", "b")]
    found = [each for each in check([user("q"), assistant(*calls), user(*results)], Bedrock()) if each.rule == "BR-B08"]
    assert [each.detail for each in found] == ["calls with one id: a"]


def test_a_block_of_two_kinds_is_counted_as_the_first() -> None:
    document = {"document": {"format": "txt", "name": "d", "source": {"bytes": b"x"}}}
    for block, also in (({"text": "q", **document}, set()), ({**document, "text": "q"}, {"BR-B19"})):
        assert {found.rule for found in check([{"role": "user", "content": [block]}], Bedrock())} == {"BR-B24", *also}


def test_images_of_results_and_beside_them_are_counted_together() -> None:
    asked = MessageHistory().add_user("q").add_assistant(ToolUseBlock("c", "f", {}))
    for count, groups in ((2, 1), (3, 2)):
        said = asked.add(Message.user([ToolResultBlock("c", [ImageBlock(PNG)] * count), ImageBlock(PNG)]))
        sent = said.for_send(Bedrock(max_images=3))[2:]
        assert len([message for message in sent if message["role"] == "user"]) == groups
