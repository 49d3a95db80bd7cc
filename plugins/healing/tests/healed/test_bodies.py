"""A body is read and checked from where it differs from an earlier one: what goes out is what the full way gives."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.following.growing import Form, Raw, answer, assistant, calls, requests, user, versions

from healed.test_agents_lists import FORMS
from message_history.dialects import Anthropic, Dialect, OpenAIChat, OpenAIResponses
from message_history.integrations.strategies import broken_lists
from message_history_healing import Healer, Healing, Route
from message_history_healing import bodies as read_bodies
from message_history_healing.bodies import Bodies, ReadBody

if TYPE_CHECKING:
    from collections.abc import Callable

DIALECTS: dict[Form, Dialect[Any]] = {"anthropic": Anthropic(), "chat": OpenAIChat(), "responses": OpenAIResponses()}
FAST: tuple[Form, ...] = ("anthropic", "chat", "responses")


class NoBodies(Bodies):  # type: ignore[misc]  # final, but for this comparison
    """Nothing is read by what came before."""

    def read(self, text: bytes, key: str, group: str) -> ReadBody | None:
        del text, key, group
        return None


class BothWays:
    """Heals each request in both ways, and compares what goes out."""

    def __init__(self, form: Form) -> None:
        self.api, self.model, self.key, _ = FORMS[form]
        self.quick, self.full = Healer(), Healer()
        self.full._bodies = NoBodies()
        self.short = 0

    def send(self, raw: list[Any], **more: Any) -> Healing[bytes]:
        body = json.dumps({"model": self.model, **more, self.key: raw, "stream": True}).encode()
        quick, full = (healer.heal(body, Route(self.api)) for healer in (self.quick, self.full))
        assert json.loads(quick.request.body) == json.loads(full.request.body)
        for name in ("repairs", "new_repairs", "violations", "unhealed", "is_healed"):
            assert getattr(quick.request, name) == getattr(full.request, name), name
        assert list(quick.request.history) == list(full.request.history)
        self.quick.sent(quick)
        self.full.sent(full)
        return quick


def decorated(chance: Random, form: Form, raw: Raw) -> Raw:
    """Give a list with what agents have besides: marks that move, pictures, thinking, names, system messages."""
    found = [dict(entry) for entry in raw]
    for entry in found[-3:]:
        if form == "anthropic" and isinstance(entry.get("content"), list) and entry["content"]:
            entry["content"] = [
                *entry["content"][:-1],
                {**entry["content"][-1], "cache_control": {"type": "ephemeral"}},
            ]
    if chance.random() < 0.1 and form == "chat":
        found.insert(0, {"role": "system", "content": "Be brief."})
    return [recorded(entry) for entry in found] if chance.random() < 0.5 else found


def recorded(entry: dict[str, Any]) -> dict[str, Any]:
    """Give an entry what agents write into it: who called, references to tools, names, and keys of their own."""
    if entry.get("role") == "tool":
        return {"name": "look", **entry, "tool_call_ids": [entry["tool_call_id"]], "agent": "main"}
    if entry.get("role") == "assistant" and "tool_calls" in entry:
        return {**entry, "refusal": None, "annotations": [], "reasoning_content": "hm"}
    if entry.get("type") == "function_call":
        return {**entry, "status": "completed"}
    if not isinstance(entry.get("content"), list):
        return entry
    more: dict[str, dict[str, Any]] = {
        "tool_use": {"caller": {"type": "direct"}},
        "tool_result": {"content": [{"type": "tool_reference", "tool_name": "look"}]},
    }
    return {**entry, "content": [{**block, **more.get(block["type"], {})} for block in entry["content"]]}


@pytest.mark.parametrize("form", FORMS)
def test_what_goes_out_is_the_same_for_lists_that_grow_and_are_edited(form: Form) -> None:
    for seed in range(8):
        both, chance = BothWays(form), Random(seed)
        for raw in requests(seed, form):
            both.send(decorated(chance, form, raw) if seed % 2 else raw)


ODD: dict[Form, list[Any]] = {
    "anthropic": [
        {"role": "user", "content": ""},
        {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 3},
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "h", "signature": "c2ln"}]},
        {"role": "assistant", "content": "Words."},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_none", "content": "r"}]},
        {"role": "system", "content": "s"},
        "no message",
    ],
    "responses": [
        {"role": "user", "content": ""},
        {"role": "developer", "content": "s"},
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Words."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_x", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_none", "output": "r"},
        {"type": "function_call_output", "call_id": "call_x", "output": "r"},
        {"type": "item_reference", "id": "msg_2"},
        {"role": "user", "content": [{"type": "input_image", "image_url": "https://e.org/a.png"}]},
        {"role": "user", "content": "Words.", "phase": "x", "type": "message"},
        {"role": "user", "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        17,
    ],
    "chat": [
        {"role": "user", "content": ""},
        {"role": "system", "content": "s"},
        {"role": "assistant", "content": "Words.", "reasoning_content": "hm"},
        {"role": "assistant", "content": None},
        {"role": "tool", "tool_call_id": "call_none", "content": "r"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}], "name": "A"},
        {"role": "assistant", "content": "Words.", "reasoning": "hm", "prefix": True, "unknown": 1},
        {"role": "user", "content": "Words.", "type": "message", "tool_calls": [{"id": "call_x"}]},
        {"role": "tool", "tool_call_id": "call_none", "content": "r", "tool_call_ids": ["call_none"], "call_id": "c"},
        17,
    ],
}


@pytest.mark.parametrize("form", FAST)
def test_a_sound_list_that_breaks_anywhere_is_found_broken(form: Form) -> None:
    """Whatever is put in, taken out or changed, early or late, and with all that stood before it known for sound."""
    odd = ODD[form]
    for seed in range(30):
        chance, both = Random(seed), BothWays(form)
        lists = versions(seed, form, broken=False, steps=chance.randrange(8, 16))
        for raw in lists[-chance.randrange(2, 6) :]:
            both.send(raw)
        for _ in range(4):
            raw = list(lists[-1])
            for _ in range(chance.randrange(1, 4)):
                where = (
                    chance.randrange(len(raw) + 1) if chance.random() < 0.5 else max(len(raw) - chance.randrange(5), 0)
                )
                kind = chance.random()
                if kind < 0.5:
                    raw.insert(where, chance.choice(odd))
                elif kind < 0.8 and len(raw) > 1:
                    raw.pop(min(where, len(raw) - 1))
                else:
                    raw += [assistant(form, "Yes."), user(form, "More.")]
            both.send(raw)
        both.send([*lists[-1], assistant(form, "So."), user(form, "And?")])


@pytest.mark.parametrize("form", FAST)
@given(data=st.data())
def test_any_list_that_grows_entry_by_entry_is_judged_as_a_whole(form: Form, data: st.DataObject) -> None:
    dialect = DIALECTS[form]
    before = versions(data.draw(st.integers(0, 50)), form, broken=False, steps=8)[-1]
    raw = [*before, *json.loads(json.dumps(data.draw(broken_lists(dialect)), default=str))]
    both = BothWays(form)
    for end in range(len(before), len(raw) + 1):
        both.send(raw[:end])


def test_what_is_counted_over_the_whole_list_is_counted() -> None:
    both = BothWays("anthropic")
    text = {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}}
    raw = versions(3, "anthropic", broken=False, steps=20)[-1]
    marked = [*raw, assistant("anthropic", "Yes."), {"role": "user", "content": [text] * 4}]
    grown = [*marked, *[entry("anthropic", "More.") for _ in range(9) for entry in (assistant, user)]]
    assert not both.send(marked).request.violations
    assert not both.send(grown).request.violations
    grown[-1] = {"role": "user", "content": [text]}
    assert [violation.rule for violation in both.send(grown).request.violations] == ["AN-K1"]


@pytest.mark.parametrize("form", FAST)
def test_what_was_refused_or_sent_to_another_model_is_checked_whole(form: Form) -> None:
    both, sound = BothWays(form), versions(3, form, broken=False, steps=20)[-1]
    middle = len(sound) // 2
    broken = [*sound[:middle], ODD[form][0 if form == "anthropic" else 4], *sound[middle:]]
    for raw in (broken, [*broken, assistant(form, "Yes."), user(form, "More.")]):
        # The provider has not taken it: nothing is kept of what was sent.
        quick, full = (
            healer.heal(json.dumps({"model": both.model, both.key: raw}).encode(), Route(both.api))
            for healer in (both.quick, both.full)
        )
        assert quick.request.violations == full.request.violations
        assert quick.request.violations
    both.send(sound)
    both.model = "claude-opus-4-6" if form == "anthropic" else "deepseek-reasoner"
    both.send([*sound, assistant(form, "Yes.")])
    both.send([*sound, assistant(form, "Yes."), user(form, "More.")])


@pytest.mark.parametrize("keys", [dict, recorded])
@pytest.mark.parametrize("form", FAST)
def test_of_a_long_list_only_the_end_is_checked(
    form: Form, keys: Callable[[dict[str, Any]], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def counted(entries: list[Any], dialect: Dialect[Any]) -> list[Any]:
        looked_at.append(len(entries))
        return dialect.violations(entries)

    monkeypatch.setattr(read_bodies, "check", counted)
    both, raw = BothWays(form), list(map(keys, versions(3, form, broken=False, steps=150)[-1]))
    for _ in range(5):
        both.send(raw)
        raw = [*raw, assistant(form, "Yes."), user(form, "More.")]
    assert len(raw) > 300
    assert len(looked_at) == 4
    assert max(looked_at) < 40


def test_an_id_of_long_ago_that_a_new_call_has_is_found() -> None:
    both, raw = BothWays("responses"), versions(3, "responses", broken=False, steps=60)[-1]
    first = next(entry["call_id"] for entry in raw if "call_id" in entry)
    both.send(raw)
    again = [*calls("responses", [first]), answer("responses", first, "again"), user("responses", "More.")]
    assert "DS-16" in {violation.rule for violation in both.send([*raw, *again]).request.violations}


def test_a_call_from_within_another_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its result may be of texts alone, and its caller may be anywhere."""
    raw = versions(3, "anthropic", broken=False, steps=20)[-1]
    called = next(n for n, entry in enumerate(raw) if isinstance(entry["content"], list))
    call = raw[called]["content"][0]
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
    raw[called] = {**raw[called], "content": [{**call, "caller": caller}, *raw[called]["content"][1:]]}
    places: list[Any] = []

    def looked_at(entries: list[Any], dialect: Dialect[Any]) -> list[Any]:
        places.extend(entries)
        return dialect.violations([])

    monkeypatch.setattr(read_bodies, "check", looked_at)
    healer, route = Healer(), Route("anthropic")
    read: ReadBody | None = None
    for more in ([], [assistant("anthropic", "Yes."), user("anthropic", "More.")]):
        body = json.dumps({"model": "claude-haiku-4-5", "messages": [*raw, *more]}).encode()
        read = healer._bodies.read(body, "messages", f"\n{route.api}")
        assert read is not None
        read.sound = read.was_sound = Anthropic()
        healer._bodies.keep(read)
    assert read is not None
    read.is_sound_for(Anthropic())
    assert raw[called] in places


BROKEN = (
    b'{ "model" : "claude-haiku-4-5", "temperature": 1E0,\n "messages" :\n [ '
    b'{"role": "user", "content": "gr\xc3\xbc\xc3\x9fe"} ,\n'
    b'{"content":[{"type":"tool_use", "id":"toolu_1","name":"f","input":{"x": 1E5, "y": 10.00}}],"role":"assistant"}'
    b" ] , "
    b'"max_tokens": 1e3 }\n'
)


def test_what_needs_no_repair_keeps_its_bytes() -> None:
    body = Healer().heal(BROKEN, Route("anthropic")).request.body
    first, call = (part.strip(b" ,\n") for part in BROKEN[BROKEN.index(b"[") + 1 : BROKEN.index(b"] , ")].split(b",\n"))
    beginning, end = BROKEN[: BROKEN.index(b"[") + 1] + first + b"," + call + b",", BROKEN[BROKEN.index(b"] , ") :]
    assert body.startswith(beginning)
    assert body.endswith(end)
    assert b"tool_result" in body[len(beginning) : -len(end)]


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages": [], "messages": [{"role": "user", "content": ""}]}',
        b'{"messages": [{"role": "user", "content": ""}], "messages": []}',
        b'{"messages": [{"role": "user", "content": "a"},], "model": "m"}',
        b'{"messages": [{"role": "user", "content": "a"}]} {}',
        b'{"messages": [{"role": "user", "content": "a"}], }',
        b'{"messages": {"role": "user"}}',
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
        b'\xef\xbb\xbf{"messages": [{"role": "user", "content": ""}]}',
        '{"messages": [{"role": "user", "content": ""}]}'.encode("utf-16"),
        b'{"messages": [' + b"[" * 100_000,
        b"[]",
        b"",
        b'{"messages"',
    ],
)
def test_a_body_that_is_odd_is_read_as_it_always_was(body: bytes) -> None:
    full = Healer()
    full._bodies = NoBodies()
    quick = Healer()
    for _ in range(2):
        found, expected = (
            healer.heal(body, Route("anthropic", "claude-haiku-4-5")).request for healer in (quick, full)
        )
        assert (found.is_healed, found.violations) == (expected.is_healed, expected.violations)
        assert found.is_healed or found.body is body


def test_bodies_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_bodies, "MAX_BODIES", 3)
    monkeypatch.setattr(read_bodies, "MAX_BYTES", 10_000)
    healer = Healer()
    for n in range(9):
        text = "x" * (4_000 if n > 5 else 10)
        body = json.dumps({"model": "gpt-4o", "messages": [user("chat", f"{n} {text}")]}).encode()
        healer.heal(body, Route("openai_chat"))
        assert len(healer._bodies._kept) <= 3
        assert sum(len(each.text) for each in healer._bodies._kept) <= 10_000
    assert healer._bodies._kept[-1].text == body


@pytest.mark.parametrize(
    ("dialect", "unique"),
    [(OpenAIChat(unique_ids=True), True), (OpenAIChat(unique_ids=False), False), (Anthropic(), False)],
)
def test_only_some_dialects_take_each_id_once(dialect: Dialect[Any], *, unique: bool) -> None:
    assert read_bodies._has_unique_ids(dialect) is unique
