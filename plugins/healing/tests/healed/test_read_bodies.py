"""What a body is read as: as `json.loads` reads it, whatever was read before."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.following.growing import Form, assistant, requests, user, versions

from healed.test_agents_lists import FORMS
from healed.test_bodies import ODD, decorated
from message_history.dialects import Anthropic
from message_history_healing import bodies as read_bodies
from message_history_healing.bodies import Bodies, ReadBody

if TYPE_CHECKING:
    from collections.abc import Iterator


def all_of(body: ReadBody) -> dict[str, Any]:
    """Give all that is known of a body and says something of it alone."""
    return {
        "data": body.data,
        "entries": body.entries(),
        "places": (body.start, [*body.ends], body.stop),
        "digests": ([entry.whole for entry in body.digests], [*body.digests.keys]),
        "parts": [(entry.head, entry.blocks) for entry in body.digests],
        "units": (body.units, [unit for unit in body.special if unit > 0]),  # the first is always looked at
        "called": body.called,
    }


def agents_bodies(form: Form, seed: int) -> Iterator[bytes]:
    """Give bodies of lists that grow, are edited and hold odd entries, with what is around the list."""
    chance, key = Random(seed), FORMS[form][2]
    for raw in requests(seed, form):
        entries: list[Any] = decorated(chance, form, raw) if seed % 2 else list(raw)
        if chance.random() < 0.5:
            entries.insert(chance.randrange(len(entries) + 1), chance.choice(ODD[form]))
        around = {"model": "ü" if seed % 3 else "u", key: entries, "stream": chance.random() < 0.5}
        yield json.dumps(around, ensure_ascii=seed % 3 != 0, indent=chance.choice((None, 1))).encode()


@pytest.mark.parametrize("form", FORMS)
def test_what_was_read_before_changes_nothing_of_what_is_read(form: Form) -> None:
    key = FORMS[form][2]
    went_on = 0
    for seed in range(12):
        bodies = Bodies()
        for text in agents_bodies(form, seed):
            body, alone = bodies.read(text, key, "g"), Bodies().read(text, key, "g")
            assert body is not None
            assert alone is not None
            assert all_of(body) == all_of(alone)
            assert body.data == {name: value for name, value in json.loads(text).items() if name != key}
            assert body.entries() == json.loads(text)[key]
            went_on += body.before is not None
            bodies.keep(body)
    assert went_on


@pytest.mark.parametrize("form", FORMS)
def test_only_what_is_new_is_read_and_it_goes_on_with_the_body_before(form: Form) -> None:
    key, raw, bodies = FORMS[form][2], versions(3, form, broken=False, steps=60)[-1], Bodies()
    last: ReadBody | None = None
    for _ in range(4):
        body = bodies.read(json.dumps({key: raw}).encode(), key, "g")
        assert body is not None
        if last is not None:
            assert len(body._read) < 20
            assert body.settled > len(body.units) - 5
            assert body.before is not None
            assert body.before.text == last.text
        bodies.keep(body)
        assert [each.text for each in bodies._kept] == [body.text]
        last, raw = body, [*raw, assistant(form, "Yes."), user(form, "More.")]
    other = bodies.read(json.dumps({key: raw}).encode(), key, "another group")
    assert other is not None
    assert (other.before, other.settled, len(other._read)) == (None, 0, len(raw))


OPUS = Anthropic.for_model("claude-opus-4-1")
SMALL = b' { "a" : 1 , "m" : [ {"r": "u", "c": "x"} , [2] ,\n"\xc3\xbc" ] , "z" : [ ] , "y" : {} } '


def test_a_body_that_is_damaged_anywhere_is_read_as_json_is_or_not_at_all() -> None:
    """Every body that is one byte from a small one: one is gone, is there twice, or is another."""
    pieces = [bytes([byte]) for byte in b' {}[]:,"ma1x\\\n\xc3']
    near = {
        SMALL[:at] + new + SMALL[at + cut :] for at in range(len(SMALL)) for new in (b"", *pieces) for cut in (0, 1)
    }
    read = 0
    before = Bodies()
    known = before.read(SMALL, "m", "")
    assert known is not None
    before.keep(known)
    for text in sorted(near):
        expected = whole(text)
        for bodies in (Bodies(), before):
            body = bodies.read(text, "m", "")
            assert (None if body is None else (body.data, body.entries())) == expected, text
            if body is not None:
                assert json.loads(body.with_entries(body.entries())) == json.loads(text)
        read += expected is not None
    assert read > 300


def whole(text: bytes) -> tuple[dict[str, Any], list[Any]] | None:
    """Read a body as `json.loads` does; None where its list is not certain."""
    try:
        pairs = json.loads(text.decode(), object_pairs_hook=lambda pairs: pairs)
    except ValueError:
        return None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return None
    names = [name for name, _ in pairs]
    data = json.loads(text)
    if not isinstance(data, dict) or names.count("m") != 1 or not isinstance(data["m"], list):
        return None
    return {name: value for name, value in data.items() if name != "m"}, data["m"]


def test_entries_that_are_the_same_are_counted_byte_for_byte() -> None:
    """Every two lists of at most four entries, of which one begins like another."""
    lists = [raw for length in range(5) for raw in product(("1", "12", " 1"), repeat=length)]
    texts = [b'{"m":[%s]}' % ",".join(raw).encode() for raw in lists]
    bodies = [Bodies().read(text, "m", "") for text in texts]
    for body, text in product(bodies, texts):
        assert body is not None
        same = [n for n, end in enumerate(body.ends, 1) if text[:end] == body.text[:end]]
        assert body.same(text) == max(same, default=0)


def test_own_entries_keep_their_bytes_in_another_list() -> None:
    body = Bodies().read(SMALL, "m", "")
    assert body is not None
    first, second, third = body.entries()
    new = body.with_entries([third, {"new": 1}, first, second])
    assert new == b' { "a" : 1 , "m" : ["\xc3\xbc",{"new":1},{"r": "u", "c": "x"},[2]] , "z" : [ ] , "y" : {} } '


def kept(bodies: Bodies) -> list[bytes]:
    return [each.text for each in bodies._kept]


def read_all(bodies: Bodies, *lists: list[Any]) -> list[bytes]:
    """Read and keep bodies, and give their texts."""
    texts = [json.dumps({"m": each}).encode() for each in lists]
    for text in texts:
        body = bodies.read(text, "m", "")
        assert body is not None
        bodies.keep(body)
    return texts


def test_the_newest_bodies_are_kept_and_none_that_another_goes_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = Bodies()
    one, other, longer = read_all(bodies, [1, 2], [3], [1, 2, 4])
    assert kept(bodies) == [other, longer]
    assert read_all(bodies, [1, 5]) == kept(bodies)[-1:]
    assert kept(bodies)[:-1] == [other, longer]
    assert one not in kept(bodies)
    monkeypatch.setattr(read_bodies, "MAX_BYTES", sum(map(len, kept(bodies))))
    read_all(bodies, [7])
    assert len(kept(bodies)) == 3  # as many bytes as are allowed
    read_all(bodies, [60])
    assert len(kept(bodies)) == 3
    assert kept(bodies)[0] != longer
    many = Bodies()
    texts = read_all(many, *([n] for n in range(66)))
    assert kept(many)[-1] == texts[-1]


def test_sixty_four_bodies_are_kept() -> None:
    bodies = Bodies()
    texts = read_all(bodies, *([n] for n in range(100, 166)))
    assert kept(bodies) == texts[2:]


def looked_at_again(entry: Any) -> bool:
    raw = [assistant("chat", "a"), user("chat", "b"), assistant("chat", "c"), entry]
    body = Bodies().read(json.dumps({"m": raw}).encode(), "m", "")
    assert body is not None
    return bool(body.special)


TEXT = {"type": "text", "text": "a"}
PLAIN: list[Any] = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [], "name": "A", "type": "message"},
    {"role": "tool", "tool_call_id": "c", "content": [TEXT]},
    {"role": "assistant", "content": [{"type": "output_text", "text": "a"}, {"type": "input_text", "text": "a"}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "b"}]},
    {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "a"}]},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"type": 1}, "caller": {"type": "direct"}}],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t",
                "is_error": True,
                "content": [{"type": "tool_reference", "tool_name": "f"}],
            },
            {"type": "tool_result", "tool_use_id": "u", "content": "a"},
        ],
    },
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"},
    {"type": "function_call_output", "call_id": "c", "output": "a", "status": "completed"},
    {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "a", "status": "completed"},
    {"type": "custom_tool_call_output", "call_id": "c", "output": [TEXT], "status": "completed"},
    {"type": "reasoning", "summary": [], "encrypted_content": "a", "content": None},
]


def with_one_more(value: Any) -> Iterator[Any]:
    """Give a value with an id and a key of ours in each of its messages, items and blocks, one at a time."""
    if isinstance(value, dict) and ("type" in value or "role" in value) and "direct" not in value.values():
        yield {**value, "id": "x", "id_of_ours": "x"}
        for key in value.keys() & {"content", "output"}:
            yield from ({**value, key: each} for each in with_one_more(value[key]))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from ([*value[:n], each, *value[n + 1 :]] for each in with_one_more(item))


@pytest.mark.parametrize("entry", PLAIN, ids=range(len(PLAIN)))
def test_words_calls_and_results_are_not_looked_at_again_and_all_else_is(entry: Any) -> None:
    assert not looked_at_again(entry)
    odd = list(with_one_more(entry))
    assert odd
    assert all(map(looked_at_again, odd))


@pytest.mark.parametrize(
    "entry",
    [
        *(17, None, [], "text", {}, {"role": "system", "content": "a"}, {"role": ["user"], "content": "a"}),
        {"type": ["reasoning"], "role": "developer"},
        {"type": "item_reference", "id": "x"},
        {"role": "user", "content": 17},
        {"role": "user", "content": {}},
        *({"role": "user", "content": [TEXT, odd]} for odd in (17, "a", {}, {"type": "image"}, {"type": ["text"]})),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "caller": {"type": "code"}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "image"}]}]},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_image"}]},
    ],
)
def test_what_a_rule_may_count_is_looked_at_again(entry: Any) -> None:
    assert looked_at_again(entry)


def test_a_call_is_known_by_its_first_entry_and_a_second_one_repeats_it() -> None:
    def of(*entries: Any) -> tuple[dict[str, int], bool]:
        body = Bodies().read(json.dumps({"m": entries}).encode(), "m", "")
        assert body is not None
        return body.called, body.repeats

    def item(kind: str, id: Any) -> dict[str, Any]:
        return {"type": kind, "call_id": id}

    chat = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}, {"id": 1}, 17]}
    assert of(item("function_call", "a"), item("function_call_output", "a")) == ({"a": 0}, False)
    assert of(item("function_call", "a"), item("custom_tool_call", "a")) == ({"a": 0}, True)
    assert of({"role": "user"}, chat, item("function_call", 3)) == ({"a": 1, "b": 1}, False)
    assert of(chat, 17, chat) == ({"a": 0, "b": 0}, True)
    assert of({"role": "assistant", "tool_calls": {"id": "a"}}) == ({}, False)


def test_the_first_unit_the_odd_ones_and_the_newest_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def looked(entries: list[Any], dialect: Anthropic) -> list[Any]:
        seen[:] = entries
        return dialect.violations(entries)

    monkeypatch.setattr(read_bodies, "check", looked)
    said = [[assistant("anthropic", f"a{n}"), user("anthropic", f"b{n}")] for n in range(9)]
    said[4][1] = {"role": "user", "content": [{**TEXT, "cache_control": {"type": "ephemeral"}}]}
    for units in range(2, 10):
        raw = [user("anthropic", "?"), *(entry for unit in said[:units] for entry in unit)]
        bodies = Bodies()
        for grown in (raw, [*raw, assistant("anthropic", "c")]):
            body = bodies.read(json.dumps({"m": grown}).encode(), "m", "")
            assert body is not None
            if body.before is not None:
                assert body.is_sound_for(OPUS) is (units > 3)
                odd = said[4] if units - 2 > 4 else []
                assert seen == ([*raw[:3], *odd, *grown[1 + 2 * max(units - 2, 0) :]] if units > 3 else [])
            seen.clear()
            body.sound = OPUS
            bodies.keep(body)
