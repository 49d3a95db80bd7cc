"""Objects that hold messages: request bodies, lines of a batch or a log; what is around the messages stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import check
from message_history.dialects import Anthropic, Dialect, Gemini, OpenAIChat, OpenAIResponses
from message_history.files.files import FileForm, UnreadableFileError, read_bytes, read_file
from message_history.files.repaired_lists import repair_file
from message_history.files.request_bodies import find_place

CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f"}}]},
    ],
    "n": 1,
}
GEMINI: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
    ],
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "tools": [],
}
RESPONSES: dict[str, Any] = {
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": "q"},
        {"type": "function_call", "name": "f", "call_id": "1", "arguments": "{}"},
    ],
    "store": False,
}
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...], Dialect[Any], str | None]] = {
    "messages": (CHAT, ("messages",), OpenAIChat(), None),
    "contents": (GEMINI, ("contents",), Gemini(), "Be brief."),
    "input": (RESPONSES, ("input",), OpenAIResponses(), "Be brief."),
    "a line of a batch": ({"custom_id": "1", "body": CHAT}, ("body", "messages"), OpenAIChat(), None),
    "a line of a log": ({"request": RESPONSES, "ms": 5}, ("request", "input"), OpenAIResponses(), "Be brief."),
}


def without(value: Any, place: tuple[str, ...]) -> Any:
    """Give an object without what stands at a place."""
    if not place:
        return None
    return {key: without(held, place[1:]) if key == place[0] else held for key, held in value.items()}


@pytest.mark.parametrize(("whole", "place", "dialect", "system"), CASES.values(), ids=CASES)
def test_messages_are_found_and_mended_where_they_are(
    whole: dict[str, Any], place: tuple[str, ...], dialect: Dialect[Any], system: str | None
) -> None:
    file = read_bytes(json.dumps(whole).encode())
    assert (file.form, file.place, file.dialect().name) == (FileForm.OBJECT, place, dialect.name)
    assert file.history().system == system
    assert check(file.entries, file.dialect())
    repaired = repair_file(file)
    assert repaired.violations == ()
    again = json.loads(repaired.data)
    assert without(again, place) == without(whole, place)
    assert list(again) == list(whole)
    found = read_bytes(repaired.data)
    assert check(found.entries, found.dialect()) == []
    assert len(found.entries) == 3
    assert repair_file(found).data == repaired.data


@pytest.mark.parametrize(("whole", "place", "dialect", "system"), CASES.values(), ids=CASES)
@pytest.mark.parametrize(
    ("to", "key"), [(Anthropic(), "messages"), (Gemini(), "contents"), (OpenAIResponses(), "input")]
)
def test_another_dialect_gets_its_own_keys(
    whole: dict[str, Any], place: tuple[str, ...], dialect: Dialect[Any], system: str | None, to: Any, key: str
) -> None:
    assert read_bytes(json.dumps(whole).encode()).dialect().name == dialect.name
    repaired = repair_file(read_bytes(json.dumps(whole).encode()), to=to)
    inner = json.loads(repaired.data)
    if to.name == dialect.name:
        # A request of the same provider stays what it is, and where it is.
        assert without(inner, place) == without(whole, place)
        assert repaired.omitted == ()
        for outer in place[:-1]:
            inner = inner[outer]
    assert key in inner
    assert key == place[-1] or place[-1] not in inner
    found = read_bytes(json.dumps(inner).encode())
    assert found.dialect().name == to.name
    assert found.history().system == system


@pytest.mark.parametrize("value", [{}, [], "x", None, {"input": "words"}, {"input": ["a", "b"]}, {"contents": 1}])
def test_what_holds_no_messages_has_no_place(value: Any) -> None:
    assert find_place(value) is None
    if isinstance(value, dict):
        with pytest.raises(UnreadableFileError):
            read_bytes(json.dumps(value).encode())


def test_a_damaged_object_is_read_by_its_parts_under_every_key() -> None:
    for whole in (CHAT, GEMINI, RESPONSES):
        data = json.dumps(whole).encode()
        file = read_bytes(data.replace(b', "role"', b', oops "role"').replace(b'{"role": "user"', b'{"role": oops', 1))
        assert len(file.entries) == 1
        assert file.skipped
        assert set(file.container or ()) == set(whole)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.files.files.MAX_BYTES", 1_000)
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"role": "user", "content": "' + b"x" * 1_000 + b'"}]')
    with pytest.raises(UnreadableFileError, match=r"^it is larger than 1,000 bytes$"):
        read_file(path)
    path.write_bytes(b'[{"role": "user", "content": "x"}]')
    assert read_file(path).entries
