"""What the tests of generateContent share: short names for parts, lists that are wrong, lists that are right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from message_history import MessageHistory, Repair, RepairCode
from message_history.dialects import Gemini
from message_history.integrations.strategies import json_values, texts

Wire = dict[str, Any]
BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
SIGNATURE = "EpYCCpMCARFNMg_S-sdjZFu2ihVT0jb0"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FLASH = "gemini-3-flash-preview"
VARIANTS = [
    Gemini(),
    Gemini(vertex=True),
    Gemini.for_model(FLASH),
    Gemini.for_model(FLASH, vertex=True),
    Gemini.for_model("gemini-2.5-flash"),
    Gemini.for_model("gemini-3.7-flash"),
]
every_variant = pytest.mark.parametrize("dialect", VARIANTS, ids=str)


def user(*parts: Any) -> Wire:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> Wire:
    return {"role": "model", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call(name: str = "f", signature: str | None = None, id: str | None = None, args: Any = None) -> Wire:
    data = {"name": name, "args": {} if args is None else args}
    part: Wire = {"functionCall": {"id": id, **data} if id is not None else data}
    return {**part, "thoughtSignature": signature} if signature is not None else part


def response(name: Any = "f", raw: Any = None, id: str | None = None) -> Wire:
    data = {"name": name, "response": {"output": "ok"} if raw is None else raw}
    return {"functionResponse": {"id": id, **data} if id is not None else data}


def read(raw: list[Any]) -> MessageHistory:
    return MessageHistory.from_list(raw, dialect=Gemini())


def codes(repairs: tuple[Repair, ...]) -> list[RepairCode]:
    return [repair.code for repair in repairs]


SIGNED = call(signature=BYPASS)
MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:f` , position "
)
BEFORE_CALLS = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
AFTER_CALLS = "Please ensure that function response turn comes immediately after a function call turn."
AS_MANY = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
ONE_OF = "* ***.contents[2].parts[1].data: required oneof field 'data' must have one initialized field"
EMPTY_TEXT = (
    "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again. "
    "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
)
NAME = (
    "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or "
    "contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
WRONG: list[tuple[str, str, list[Any]]] = [
    (
        "GM-G28",
        "Unable to process input image.",
        [user({"inlineData": {"mimeType": "image/png", "data": "aGk="}}, "what is it?")],
    ),
    ("GM-G29", "", [user(*[{"inlineData": {"mimeType": "image/png", "data": PIXEL}}] * 3601, "what are they?")]),
    ("GM-G01", "contents are required.", []),
    (
        "GM-G02",
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
        [user("hi"), model(), user("go on")],
    ),
    (
        "GM-G02",
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
        [user("hi"), {"role": "model", "parts": None}, user("go on")],
    ),
    ("GM-G03", ONE_OF, [user("x"), model(SIGNED), user(response(), {})]),
    ("GM-G03", ONE_OF, [user("x"), model(SIGNED), user(response(), {"text": "a", "inlineData": {}})]),
    ("GM-G03", "", [user("x"), model({"text": 7}), user("y")]),
    ("GM-G03", "", [user("x"), model({"functionCall": "f"}), user("y")]),
    ("GM-G05", "Please use a valid role: user, model.", [user("a"), {"role": "assistant", "parts": [{"text": "b"}]}]),
    (
        "GM-G05",
        "Please use a valid role: user, model.",
        [{"role": "system", "parts": [{"text": "be brief"}]}, user("a")],
    ),
    ("GM-G05", "", [user("x"), model(SIGNED), {"role": "tool", "parts": [response()]}]),
    ("GM-G05", "", [user("x", SIGNED), user(response())]),
    ("GM-G05", "", [user("x"), model(SIGNED), model(response()), user("y")]),
    ("GM-G06", BEFORE_CALLS, [model(SIGNED), user(response()), user("next")]),
    ("GM-G06", BEFORE_CALLS, [user("x"), model("let me look"), model(SIGNED), user(response())]),
    ("GM-G07", AFTER_CALLS, [user("x"), user(response()), model("done"), user("y")]),
    ("GM-G07", AFTER_CALLS, [user("x"), model(SIGNED), user("wait"), user(response())]),
    ("GM-G08", AS_MANY, [user("x"), model(SIGNED, call("g")), user(response())]),
    ("GM-G08", AS_MANY, [user("x"), model(SIGNED, call("g")), user(response()), user(response("g"))]),
    ("GM-G08", AS_MANY, [user("x"), model(SIGNED), user(response(), response())]),
    ("GM-G08", AS_MANY, [user("x"), model(SIGNED), user("never mind")]),
    ("GM-G08", AS_MANY, [user("x"), model(SIGNED)]),
    ("GM-G09", MISSING, [user("x"), model(SIGNED), user(response()), model(call(args={"a": 1})), user(response())]),
    ("GM-G10", MISSING + "2", [user("x"), model(call()), user(response())]),
    (
        "GM-G10",
        MISSING + "2",
        [user("x"), model("first", call(), call("g", SIGNATURE)), user(response(), response("g"))],
    ),
    ("GM-G10", MISSING + "4", [user("x"), model("y"), user("z"), model(call()), user(response())]),
    ("GM-G11", MISSING, [user("x"), model(call("g", SIGNATURE)), model(call()), user(response("g"), response())]),
    (
        "GM-G12",
        "Invalid value at 'request.contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for",
        [user("x"), model(call(signature="claude#not base64!")), user(response())],
    ),
    ("GM-G12", "", [user("x"), model(call(signature=f"{SIGNATURE}={SIGNATURE}")), user(response())]),
    ("GM-G12", "", [user("x"), model({"text": "y", "thoughtSignature": "abcde"}), user("z")]),
    ("GM-G13", "Corrupted thought signature.", [user("x"), model({"text": "y", "thoughtSignature": ""}), user("z")]),
    ("GM-G14", "", [user("x"), model(call(signature="skip_thought_signature_validator")), user(response())]),
    (
        "GM-G15",
        "Requests ending with a model turn are not supported unless the last part is a function response.",
        [user("x"), model("partial answer")],
    ),
    (
        "GM-G17",
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
        [user("x"), model(SIGNED), user(response(""))],
    ),
    ("GM-G18", NAME, [user("x"), model(call("21st_magic", BYPASS)), user(response("21st_magic"))]),
    ("GM-G18", NAME, [user("x"), model(call("n" * 65, BYPASS)), user(response("n" * 65))]),
    ("GM-G18", NAME, [user("x"), model(call("a b", BYPASS)), user(response("a b"))]),
    ("GM-G19", "Struct must be in a dict which is x", [user("x"), model(SIGNED), user(response(raw="x"))]),
    ("GM-G19", "", [user("x"), model(SIGNED), user(response(raw=[1, 2]))]),
    (
        "GM-G20",
        "Struct must be in a dict which is {}",
        [user("x"), model(call(signature=BYPASS, args="{}")), user(response())],
    ),
    (
        "GM-G22",
        "Invalid JSON payload received. Unknown name \"role\" at 'contents[0].parts[0]': Cannot find field.",
        [user({"text": "x", "role": "user"})],
    ),
    ("GM-G22", "", [{**user("x"), "content": "x"}]),
    (
        "GM-G22",
        "",
        [
            user("x"),
            model({"functionCall": {"name": "f", "arguments": {}}, "thoughtSignature": BYPASS}),
            user(response()),
        ],
    ),
    ("GM-G22", "", [user({"inlineData": {"mimeType": "image/png", "data": PIXEL, "detail": "low"}})]),
    ("GM-G23", "Request contains an invalid argument.", [user("x"), model(SIGNED), user(response(), "also do y")]),
    ("GM-G24", "Unsupported MIME type: png", [user({"inlineData": {"mimeType": "png", "data": "aGk="}}, "what?")]),
    ("GM-G24", "Unsupported MIME type: image/jpg", [user({"inlineData": {"mimeType": "image/jpg", "data": "aGk="}})]),
    (
        "GM-G24",
        "Unsupported MIME type: image/svg+xml",
        [user({"inlineData": {"mimeType": "image/svg+xml", "data": "PHN2Zy8+"}})],
    ),
    ("GM-G24", "", [user({"inlineData": {"mimeType": "image/png", "data": f"data:image/png;base64,{PIXEL}"}})]),
    ("GM-G24", "", [user({"inlineData": {"data": PIXEL}})]),
    (
        "GM-G24",
        "",
        [
            user("x"),
            model(SIGNED, call("g")),
            user(response(), {"inlineData": {"mimeType": "image/png", "data": PIXEL}}, response("g")),
        ],
    ),
    (
        "GM-G24",
        "",
        [
            user("x"),
            model(SIGNED),
            user(
                {
                    "functionResponse": {
                        "name": "f",
                        "response": {},
                        "parts": [{"fileData": {"mimeType": "image/png", "fileUri": "gs://b/a.png"}}],
                    }
                }
            ),
        ],
    ),
    (
        "GM-G25",
        "tool_call parameter is only supported in",
        [user("x"), model({"toolCall": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}}), user("y")],
    ),
    (
        "GM-G25",
        "partial_args parameter",
        [
            user("x"),
            model({"functionCall": {"name": "f", "args": {}, "partialArgs": []}, "thoughtSignature": BYPASS}),
            user(response()),
        ],
    ),
    ("GM-G25", "part_metadata parameter", [user({"text": "x", "partMetadata": {"a": 1}})]),
    (
        "GM-G27",
        'functionResponse.id "b" does not match functionCall.id "a"',
        [
            user("x"),
            model(call("r", BYPASS, "a"), call("r", None, "b")),
            user(response("r", id="b"), response("r", id="a")),
        ],
    ),
]
BACK_AND_FORTH = [
    [user("hi"), model("hello"), user("bye")],
    [
        user("x"),
        model(call(signature=SIGNATURE, id="c1", args={"a": [1, 2.5, None, {"b": "é"}]})),
        user(response(id="c1")),
    ],
    [user("x"), model(call(signature=SIGNATURE)), user(response()), model("done"), user("thanks")],
    [
        user("x"),
        model(call("f", SIGNATURE), call("g"), call("f", args={"a": 1})),
        user(response(), response("g"), response()),
    ],
    [user("x"), model("I look", {**call(), "thoughtSignature": SIGNATURE}), user(response()), user("and then?")],
    [user("x"), model({"text": "hm", "thought": True}, {"text": "y", "thoughtSignature": SIGNATURE}), user("z")],
    [user("x"), model({"text": "hm", "thought": True, "thoughtSignature": SIGNATURE}, "y"), user("z")],
    [user("x"), model("y", {"text": "", "thoughtSignature": SIGNATURE}), user("z")],
    [user("x"), model({"functionCall": {"name": "f"}, "thoughtSignature": SIGNATURE}), user(response())],
    [
        user("x"),
        model(
            {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
            "It is 1.",
        ),
        user("z"),
    ],
    [
        user("x"),
        model(
            {
                "toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "id": "s", "args": {"queries": ["q"]}},
                "thoughtSignature": SIGNATURE,
            },
            {
                "toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "id": "s", "response": {"found": 1}},
                "thoughtSignature": SIGNATURE,
            },
        ),
        user({"text": "z", "partMetadata": {"a": 1}}),
    ],
    [user({"inlineData": {"mimeType": "image/png", "data": PIXEL}}, "what is it?")],
    [
        user(
            {"inlineData": {"mimeType": "image/jpeg", "data": "_9j__gAE-___wAALCAABAAEBAREA_9k="}},
            {"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}},
        )
    ],
    [
        user(
            {
                "fileData": {
                    "mimeType": "application/pdf",
                    "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/x",
                }
            },
            {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}},
            {"fileData": {"mimeType": "image/webp", "fileUri": "https://example.com/a"}},
            {
                "fileData": {"mimeType": "video/mp4", "fileUri": "gs://bucket/a.mp4"},
                "videoMetadata": {"startOffset": "1s"},
            },
            {"fileData": {"fileUri": "https://www.youtube.com/watch?v=x"}},
        )
    ],
    [
        user("x"),
        model(call(signature=SIGNATURE)),
        user(
            {
                "functionResponse": {
                    "name": "f",
                    "response": {},
                    "parts": [
                        {"inlineData": {"mimeType": "image/png", "data": PIXEL, "displayName": "a.png"}},
                        {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://bucket/a.pdf"}},
                    ],
                    "scheduling": "SILENT",
                }
            }
        ),
    ],
    [
        user("x"),
        model({"inlineData": {"mimeType": "image/png", "data": PIXEL}, "thoughtSignature": SIGNATURE}),
        user("bluer"),
    ],
]


def signatures() -> st.SearchStrategy[Any]:
    return st.sampled_from(
        (None, SIGNATURE, BYPASS, "skip_thought_signature_validator", "", "a=b", b"signed", 7, ["x"])
    )


def parts() -> st.SearchStrategy[Any]:
    """Generate parts as they are found in the wild, and worse."""
    names = st.sampled_from(("f", "g", "21st", "", None))
    raw = st.one_of(st.none(), texts(), json_values(), st.builds(lambda v: {"output": v}, json_values()))
    raw = st.one_of(raw, st.builds(lambda v: {"error": v}, json_values()), st.builds(lambda v: {"result": v}, texts()))
    media = st.builds(
        lambda mime, data: {"mimeType": mime, "data": data},
        st.sampled_from(("image/png", "png", "image/svg+xml", "audio/wav", "application/pdf", "odd", None)),
        st.sampled_from((PIXEL, "_9j_4A==", f"data:image/png;base64,{PIXEL}", "", b"bytes", 7, "<truncated 9 chars>")),
    )
    ids = st.sampled_from((None, None, "a", "b", "f_0", ""))
    data = st.one_of(
        st.builds(lambda v: {"text": v}, texts()),
        st.builds(lambda v: {"text": v, "thought": True}, texts()),
        st.builds(lambda n, i, v: {"functionCall": {"name": n, "id": i, "args": v}}, names, ids, raw),
        st.builds(lambda n, i, v: {"functionResponse": {"name": n, "id": i, "response": v}}, names, ids, raw),
        st.builds(
            lambda n, v, m: {"function_response": {"name": n, "response": v, "parts": [{"inline_data": m}, 7]}},
            names,
            raw,
            media,
        ),
        st.builds(lambda v: {"inlineData": v}, media),
        st.builds(
            lambda u, m: {"fileData": {"fileUri": u, "mimeType": m}},
            st.sampled_from(("gs://b/x", "https://example.com/a.png", 7)),
            st.sampled_from(("image/png", "video/mp4", "application/pdf", None, 7)),
        ),
        st.builds(lambda v: {"executableCode": {"language": "PYTHON", "code": v}}, texts()),
        st.just({"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}}),
        st.sampled_from(
            (
                {},
                None,
                7,
                "text",
                {"future": 1},
                {"type": "text", "text": "x"},
                {"text": "a", "functionCall": {"name": "f"}},
            )
        ),
    )
    signed = st.builds(
        lambda part, signature: {**part, "thoughtSignature": signature} if isinstance(part, dict) else part,
        data,
        signatures(),
    )
    return st.one_of(data, data, signed)


def contents() -> st.SearchStrategy[list[Any]]:
    roles = st.sampled_from(("user", "model", "user", "model", "user", "model", "tool", "system", None, 7))
    one = st.builds(lambda role, held: {"role": role, "parts": held}, roles, st.lists(parts(), max_size=4))
    return st.lists(one, max_size=7)
