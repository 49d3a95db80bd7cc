"""Odd pieces of each form, to make lists of: what providers' own blocks look like when something is wrong with them."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

__all__ = ["FORMS", "PIXEL", "PNG", "odd_lists"]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PNG = {"type": "base64", "media_type": "image/png", "data": PIXEL}


def each(**values: list[Any]) -> list[dict[str, Any]]:
    """Give an object for each choice of values; a key whose value is `...` is left out."""
    rows = itertools.product(*values.values())
    return [{key: value for key, value in zip(values, row, strict=True) if value is not ...} for row in rows]


MARK = {"type": "ephemeral"}
ANTHROPIC = [
    *each(type=["text"], text=["hi", "", " ", "x\ud800y"], cache_control=[..., MARK, {**MARK, "ttl": "1h"}]),
    *each(type=["text"], text=["cited"], citations=[[], [{"bad": 1}]]),
    *each(type=["thinking"], thinking=["t", ""], signature=["SIG", "", None]),
    *each(type=["redacted_thinking"], data=["x", ""]),
    *each(type=["tool_use"], id=["1", "2"], name=["f", "g h", ""], input=[{}, '{"a": 2}', None, [1]]),
    *each(type=["tool_use"], id=["3"], name=["f"], input=[{}], caller=[..., {"type": "code", "tool_id": "srvtoolu_1"}]),
    *each(type=["tool_use"], id=["3"], name=["f"], input=[{}], toolset_name=["computer"]),
    *each(type=["tool_result"], tool_use_id=["1", "2", "3"], content=["ok", "", None, {"a": 1}], is_error=[True, ...]),
    *each(
        type=["tool_result"],
        tool_use_id=["1", "3"],
        content=[
            [{"type": "image", "source": PNG}],
            [{"type": "text", "text": "x"}, {"type": "search_result", "source": "s", "title": "t", "content": []}],
            [{"type": "tool_reference", "tool_name": "f"}],
        ],
        is_error=[..., True],
    ),
    *each(
        type=["server_tool_use"],
        id=["srvtoolu_1", "call_x", "srvtoolu_a-b"],
        name=["web_search", "advisor", "nope"],
        input=[{"query": "q"}],
    ),
    *each(
        type=["web_search_tool_result"],
        tool_use_id=["srvtoolu_1", "call_x"],
        content=[[], {"type": "web_search_tool_result_error", "error_code": "unavailable"}, "bad"],
    ),
    {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "t", "server_name": "s", "input": {}},
    {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": []},
    *each(type=["image"], source=[PNG, {"type": "url", "url": "https://e.x/a.png"}, {}]),
    *each(
        type=["document"],
        source=[{"type": "text", "media_type": "text/plain", "data": "t"}],
        title=["", None, "T" * 600],
    ),
    *each(type=["compaction"], content=["", None, "sum"]),
    *each(type=["container_upload", "connector_text", "fallback", "video"], file_id=["file_1"]),
    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}},
    {},
]
GEMINI = [
    *each(text=["a", "", " "], thoughtSignature=[..., "QUJDRA==", "bad!"], thought=[..., True]),
    *each(
        functionCall=each(name=["f", "21g", ""], args=[{}, "{}", None], id=[..., "1"]), thoughtSignature=[..., "QQ=="]
    ),
    *each(functionResponse=each(name=["f", ""], response=[{"output": "ok"}, "txt", None], id=[..., "1"])),
    *each(inlineData=[{"mimeType": "png", "data": PIXEL}, {"mimeType": "audio/wav", "data": "AA=="}]),
    {"fileData": {"fileUri": "gs://a/b.png", "mimeType": "image/png"}},
    {"executableCode": {"language": "PYTHON", "code": "x"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
    {"toolCall": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}},
    {"text": "a", "functionCall": {"name": "f", "args": {}}},
    {},
]
BEDROCK = [
    *each(text=["a", "", " "]),
    *each(toolUse=each(toolUseId=["t1", "a b"], name=["f", "a.b"], input=[{}, "{}"])),
    *each(
        toolResult=each(
            toolUseId=["t1", "a b", "t3"],
            content=[[], [{"text": ""}], [{"json": [1]}], [{"image": {"format": "png", "source": {"bytes": PIXEL}}}]],
            status=[..., "error"],
        )
    ),
    *each(image=each(format=["png", "jpg"], source=[{"bytes": PIXEL}, {"s3Location": {"uri": "s3://b/k"}}])),
    {"document": {"format": "pdf", "name": "John's r.pdf", "source": {"bytes": "aGk="}}},
    *each(reasoningContent=[{"reasoningText": {"text": "t"}}, {"reasoningText": {"text": "t", "signature": "s"}}]),
    {"cachePoint": {"type": "default"}},
    {"type": "text", "text": "x"},
    {"SDK_UNKNOWN_MEMBER": {"name": "x"}},
]
CHAT_CONTENT: list[Any] = [
    "a", "", None, " ", [], {"a": 1}, [{"id": 1}],
    [{"type": "text", "text": ""}],
    [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}],
    [{"type": "refusal", "refusal": "no"}, {"type": "text", "text": "x"}],
    [{"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}],
    [{"type": "thinking", "thinking": [{"type": "text", "text": "h"}]}, {"type": "text", "text": "x"}],
    [{"type": "document_url", "document_url": "https://e.x/d.pdf"}],
]  # fmt: skip
CALLS = each(
    id=["1", "2", "", "x" * 50],
    type=["function", None],
    function=each(name=["f", "a b", ""], arguments=["{}", "{bad", "", "[1]", {"a": 1}]),
)
CHAT = [
    *each(role=["user", "system", "developer"], content=CHAT_CONTENT, name=[..., "Ann"]),
    *each(role=["user"], content=["", "look"], images=[[PIXEL]]),
    *each(role=["assistant"], content=CHAT_CONTENT, refusal=[..., "no"], reasoning_content=[..., "t"]),
    *each(role=["assistant"], content=["", None, "a"], tool_calls=[[first, CALLS[7]] for first in CALLS[:60:2]]),
    *each(role=["tool"], content=CHAT_CONTENT, tool_call_id=["1", "2", "", "x" * 50, ...]),
]
RESPONSES = [
    *each(role=["user", "assistant", "system", "developer", "tool"], content=["q", None, "", []]),
    *each(role=["user"], content=[[{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}]]),
    *each(role=["assistant"], content=[[{"type": "input_text", "text": "a"}], [{"type": "refusal", "refusal": "no"}]]),
    *each(
        type=["message"],
        role=["assistant"],
        id=["msg_1", "", "item_3", "msg_" + "x" * 70],
        status=["completed"],
        content=[[{"type": "output_text", "text": "a", "annotations": []}]],
    ),
    *each(
        type=["reasoning"],
        id=["rs_1", "bad"],
        summary=[[], [{"type": "summary_text", "text": "s"}]],
        encrypted_content=[..., "ENC"],
        status=[..., None],
    ),
    *each(type=["function_call"], call_id=["1", "2"], name=["f", "a b"], arguments=["{}", "{bad", ""], id=["fc_1"]),
    *each(type=["function_call_output"], call_id=["1", "2", "3"], output=["r", "", None, {"a": 1}]),
    {"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": "*** x"},
    {"type": "custom_tool_call_output", "call_id": "1", "output": "r"},
    {"type": "local_shell_call", "id": "lsh_1", "call_id": "2", "status": "completed",
     "action": {"type": "exec", "command": ["ls"], "env": {}}},
    {"type": "local_shell_call_output", "id": "2", "output": "r"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
    {"type": "item_reference", "id": "rs_9"},
    {"type": "compaction", "encrypted_content": "E", "id": "cmp_1"},
    {"type": "unknown_item", "x": 1},
]  # fmt: skip
STEPS = [
    *each(type=["user_input", "model_output"], content=[[{"type": "text", "text": "q"}], [], "", None, "words"]),
    *each(type=["user_input"], content=[[{"type": "image", "data": PIXEL, "mime_type": "image/png"}], [{"type": "x"}]]),
    *each(
        type=["thought"], signature=[..., "c2ln", "no base64!"], summary=[..., [{"type": "text", "text": "hm"}], "s"]
    ),
    *each(type=["function_call"], id=["1", "2", ""], name=["f", "a b"], arguments=[{}, {"a": 1}, "{bad", None, [1]]),
    *each(
        type=["function_result"],
        call_id=["1", "2", "3"],
        result=["r", "", None, [], {"a": 1}, [{"type": "text", "text": "r"}], 7],
        name=[..., "f"],
        is_error=[..., True],
    ),
    {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["q"]}},
    {"type": "google_search_result", "call_id": "s1", "result": [], "later": 1},
    {"type": "unknown_step", "x": 1},
    *each(role=["user", "model", "system"], content=["q", [{"type": "text", "text": "a"}]]),
    {"object": "interaction", "id": "v1", "status": "incomplete", "steps": [{"type": "thought"}]},
]
REQUEST_PARTS = [
    *each(part_kind=["user-prompt"], content=["q", "", ["a", {"kind": "image-url", "url": "https://e.x/a.png"}]]),
    {"part_kind": "system-prompt", "content": "s"},
    *each(part_kind=["tool-return"], tool_name=["f"], tool_call_id=["1", "2"], content=["r", {"a": 1}, None, [1]]),
    *each(part_kind=["retry-prompt"], content=["bad", []], tool_name=[..., "f"], tool_call_id=["1"]),
    {},
]
RESPONSE_PARTS = [
    *each(part_kind=["text"], content=["a", ""]),
    *each(part_kind=["thinking"], content=["t"], signature=[None, "s"], provider_name=[None, "anthropic", "openai"]),
    *each(part_kind=["tool-call"], tool_name=["f", "a b"], args=[{}, "{}", "{bad", None], tool_call_id=["1", "2", ""]),
    *each(part_kind=["builtin-tool-call", "later"], tool_name=["web_search"], args=[{}], tool_call_id=["b1"]),
    {"part_kind": "builtin-tool-return", "tool_name": "web_search", "content": {}, "tool_call_id": "b1"},
    {},
]
KEYS = {
    "typed": each(stop_reason=[..., "pause_turn", "max_tokens"], output_config=[..., {"effort": "low"}, "x"]),
    "request": each(instructions=[..., "i"], timestamp=[..., "2026-01-01T00:00:00Z"]),
    "response": each(
        state=[..., "interrupted", "odd"], finish_reason=[..., "length"], provider_name=[..., "anthropic"]
    ),
}


def _messages(roles: list[str], key: str, pieces: list[Any], keys: list[dict[str, Any]]) -> st.SearchStrategy[Any]:
    held = st.lists(st.sampled_from(pieces), max_size=4)
    return st.builds(
        lambda role, content, more: {"role": role, key: content, **more},
        st.sampled_from(roles),
        held,
        st.one_of(st.just({}), st.just({}), st.sampled_from(keys)),
    )


def _parts(kind: str, pieces: list[Any]) -> st.SearchStrategy[Any]:
    held = st.lists(st.sampled_from(pieces), max_size=3)
    return st.builds(lambda parts, keys: {"kind": kind, "parts": parts, **keys}, held, st.sampled_from(KEYS[kind]))


FORMS: dict[str, st.SearchStrategy[Any]] = {
    "anthropic": _messages(["user", "assistant", "assistant", "system"], "content", ANTHROPIC, KEYS["typed"]),
    "gemini": _messages(["user", "model", "model", "system", "function"], "parts", GEMINI, [{}]),
    "gemini_interactions": st.sampled_from(STEPS),
    "bedrock": _messages(["user", "assistant", "assistant", "system"], "content", BEDROCK, [{"stopReason": "x"}]),
    "openai_chat": st.sampled_from(CHAT),
    "mistral": st.sampled_from(CHAT),
    "portable": st.sampled_from(CHAT),
    "openai_responses": st.sampled_from(RESPONSES),
    "pydantic_ai": st.one_of(_parts("request", REQUEST_PARTS), _parts("response", RESPONSE_PARTS)),
}


def odd_lists(form: str) -> st.SearchStrategy[list[Any]]:
    """Generate lists of odd pieces of one form."""
    return st.lists(FORMS[form], max_size=7)
