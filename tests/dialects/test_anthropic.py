"""The Messages API: a readable list for each rule that a list can break, what is found in it, and what is sent."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from attrs import asdict, evolve

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
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
from message_history.dialects import Anthropic
from tests.campaigns.growth import lines_of
from tests.dialects.odd_pieces import PIXEL, PNG
from tests.dialects.whole_lists import CITED

GOLDEN = Path(__file__).parent / "golden" / "anthropic"
WEBP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
Json = dict[str, Any]
FOUND = {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]}
STRICT = Anthropic(system_in_list=False, split_results=False, prefill=False, blank_beside_calls=False)
SYSTEM = Anthropic(system_in_list=True)
TAKES_SPLIT = Anthropic(prefill=False)
PREFILL = Anthropic(prefill=True)
ON_BEDROCK = Anthropic.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0")


def user(*content: Any) -> Json:
    return {"role": "user", "content": content[0] if content and isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> Json:
    return {**user(*content), "role": "assistant"}


def system(*content: Any, **keys: Any) -> Json:
    return {**user(*content), "role": "system", **keys}


def text(words: Any, **keys: Any) -> Json:
    return {"type": "text", "text": words, **keys}


def call(id: Any = "t1", **keys: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **keys}


def result(id: Any = "t1", content: Any = "ok", **keys: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **keys}


def thought(signature: Any = "c2ln", **keys: Any) -> Json:
    return {"type": "thinking", "thinking": "hm", "signature": signature, **keys}


def image(data: str = PIXEL, media_type: str = "image/png", **keys: Any) -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data, **keys}}


def document(**keys: Any) -> Json:
    return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}, **keys}


def search(id: str = "srvtoolu_1", name: str = "web_search") -> Json:
    return {"type": "server_tool_use", "id": id, "name": name, "input": {"query": "q"}}


def found(id: str = "srvtoolu_1", **keys: Any) -> Json:
    page = {"type": "web_search_result", "title": "t", "url": "https://example.com", "encrypted_content": "ZW5j"}
    page.update(keys)
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": [page]}


def hit(**keys: Any) -> Json:
    return {"type": "search_result", "source": "s", "title": "t", "content": [text("c")], **keys}


def cited(**keys: Any) -> Json:
    where = {
        "type": "web_search_result_location",
        "cited_text": "x",
        "encrypted_index": "i",
        "title": "t",
        "url": "https://example.com",
    }
    return text("a", citations=[{**where, **keys}])


Q = user("q")
MARK = {"type": "ephemeral"}
BROWSER = {"toolset_name": "browser"}
BY_CODE = {"caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}}


def at(url: str) -> Json:
    return {"type": "image", "source": {"type": "url", "url": url}}


class Case(NamedTuple):
    """A list that breaks a rule.

    Args:
        rule: the rule.
        raw: the list.
        dialect: the fields under which it shows.
        also: what else is found.
    """

    rule: str
    raw: list[Any]
    dialect: Anthropic = STRICT
    also: tuple[str, ...] = ()


CASES = (
    Case("AN-A1", []),
    Case("AN-A4", [Q, {"role": "narrator", "content": "x"}]),
    Case("AN-A5", [system("s"), Q]),
    Case("AN-A5", [system("s"), Q], SYSTEM),
    Case("AN-A6", [Q, assistant("a"), system("s"), assistant("b"), Q], SYSTEM),
    Case("AN-A7", [Q, system("s"), user("r")], SYSTEM),
    Case("AN-A8", [Q, assistant(call()), system("s"), user(result())], SYSTEM),
    Case("AN-A9", [Q, system("s")]),
    Case("AN-A10", [Q, system(image())], SYSTEM),
    Case("AN-A11", [{**Q, "clear_at": "never"}]),
    Case("AN-A12", [Q, system()], SYSTEM),
    Case("AN-A12", [Q, system(output_config={"effort": "low"})]),
    Case("AN-A15", [Q, assistant("a")]),
    Case("AN-B1", [user(), assistant("a"), Q]),
    Case("AN-B2", [user(text(""), text("q"))]),
    Case("AN-B3", [Q, assistant(text("\n"), call()), user(result())], STRICT),
    Case("AN-B4", [Q, assistant("a ")], PREFILL),
    Case("AN-B5", [Q, {"role": "assistant", "content": None}, Q]),
    Case("AN-B6", [user({"type": "video"})]),
    Case("AN-B6", [user({"text": "q"})]),
    Case("AN-B6", [user({"type": "image", "source": {"type": "odd"}})]),
    Case("AN-B7", [{**Q, "name": "Ann"}]),
    Case("AN-B7", [user(text("q", mood="good"))]),
    Case("AN-B7", [Q, assistant({**search(), "mood": "good"}, found(), text("a")), Q]),
    Case("AN-B7", [user(image(mood="good"))]),
    Case("AN-B8", [Q, assistant(call()), user({"type": "tool_result", "content": "ok"})], also=("AN-C1",)),
    Case("AN-B8", [user({"type": "search_result", "source": "s"})]),
    Case(
        "AN-B8",
        [Q, assistant({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search"}, found(), text("a")), Q],
    ),
    Case("AN-B8", [user(text("q", cache_control="yes"))]),
    Case("AN-B9", [user("lone \ud83d")]),
    Case("AN-B10", [Q, assistant(cited(url="")), Q]),
    Case("AN-B10", [Q, assistant(text("a", citations={"enabled": True})), Q]),
    Case("AN-C1", [Q, assistant(call()), user("never mind")], also=("AN-C2",)),
    Case("AN-C1", [Q, assistant(call())]),
    Case("AN-C1", [Q, assistant(call(), call("t2")), user(result())]),
    Case("AN-C2", [Q, assistant(call()), user(text("here:"), result())]),
    Case("AN-C2", [Q, assistant(call()), user("go on"), user(result())], TAKES_SPLIT),
    Case("AN-C2", [Q, assistant(call(), call("t2")), user(result(), text("so")), user(result("t2"))], TAKES_SPLIT),
    Case("AN-C3", [Q, assistant(call(), call("t2")), user(result()), user(result("t2"))]),
    Case("AN-C4", [user(result(), text("q"))]),
    Case("AN-C4", [Q, assistant(call()), user(result()), assistant("a"), user(result(), text("again"))]),
    Case("AN-C5", [Q, assistant(call()), user(result(), result(content="other"))]),
    Case("AN-C6", [Q, assistant(call(), call()), user(result())]),
    Case("AN-C7", [Q, assistant(call("a b")), user(result("a b"))]),
    Case("AN-C8", [Q, assistant(call(name="")), user(result())]),
    Case("AN-C9", [Q, assistant(call(input=[])), user(result())]),
    Case("AN-C10", [user(text("q"), call())]),
    Case("AN-C11", [Q, assistant(call(), result()), Q], also=("AN-C1", "AN-C2")),
    Case("AN-C12", [Q, assistant(call()), user(result(content="", is_error=True))]),
    Case("AN-C13", [Q, assistant(call()), user(result(content=[text("no"), image()], is_error=True))]),
    Case("AN-C14", [Q, assistant(call()), user(result(content=[call("t2")]))]),
    Case("AN-C15", [Q, assistant(call()), user(result(content=[text("x"), hit()]))]),
    Case("AN-C17", [Q, assistant(call(**BROWSER)), user(result())]),
    Case("AN-C17", [Q, assistant(call(**BROWSER)), user(result(content=[document()], **BROWSER))]),
    Case("AN-C19", [Q, assistant(search()), user(result("srvtoolu_1"))], also=("AN-S1",)),
    Case("AN-T4", [Q, assistant(thought("minimax-sig"), text("a")), Q]),
    Case("AN-C20", [Q, assistant(call(), text("done")), user(result())]),
    Case("AN-C20", [Q, assistant(text("a"), call(), text("b"), call("t2")), user(result(), result("t2"))]),
    Case("AN-C20", [Q, assistant(call()), assistant("done"), user(result())]),
    Case("AN-C20", [Q, assistant(call(), search(), found()), user(result())]),
    Case("AN-C20", [Q, assistant(thought(), call(), thought(), call("t2"), text("b")), user(result(), result("t2"))]),
    Case("AN-T5", [Q, assistant(thought(signature=""), text("a")), Q]),
    Case("AN-T5", [Q, assistant({"type": "thinking", "thinking": "hm"}, text("a")), Q]),
    Case("AN-T7", [user(thought(), text("q"))]),
    Case("AN-T8", [Q, assistant(thought()), Q]),
    Case("AN-S1", [Q, assistant(search(), text("a")), Q]),
    Case("AN-S2", [Q, assistant(found(), text("a")), Q]),
    Case("AN-S3", [Q, assistant(search("call_1"), found("call_1"), text("a")), Q]),
    Case("AN-S4", [Q, assistant(search(name="draw"), found(), text("a")), Q]),
    Case("AN-S5", [Q, assistant(search(), found(encrypted_content=""), text("a")), Q]),
    Case("AN-S7", [Q, assistant(search(), call()), user(result(), text("and"))]),
    Case("AN-S8", [Q, assistant(search(name="code_execution"), call(**BY_CODE)), user(result(content=[image()]))]),
    Case("AN-S10", [Q, assistant({**search("m1"), "type": "mcp_tool_use", "server_name": "s"}, text("a")), Q]),
    Case("AN-S13", [Q, assistant({"type": "compaction", "content": ""}, text("a")), Q]),
    Case("AN-K1", [user(*[text("q", cache_control=MARK)] * 5)]),
    Case("AN-K2", [user(text("", cache_control=MARK), text("q"))]),
    Case("AN-K3", [Q, assistant(thought(cache_control=MARK), text("a")), Q]),
    Case("AN-K4", [user(text("q", cache_control=MARK), text("r", cache_control={**MARK, "ttl": "1h"}))]),
    Case("AN-M5", [user(image(WEBP))]),
    Case("AN-M5", [user(image(media_type="image/tiff"))]),
    Case("AN-M6", [user(image("bm90IGFuIGltYWdl"))]),
    Case("AN-M7", [user({"type": "document", "source": {"type": "base64", "media_type": "text/csv", "data": "YSxi"}})]),
    Case("AN-M8", [user(document(title=""))]),
    Case("AN-M11", [user(document(source={"type": "url", "url": "https://example.com/notes.txt?x=1"}))]),
    Case("AN-M12", [user(text("see"), at("https://example.com/a.png"))], ON_BEDROCK),
    Case(
        "AN-M12", [user(text("see"), document(source={"type": "url", "url": "https://example.com/a.pdf"}))], ON_BEDROCK
    ),
    Case("AN-M9", [Q, assistant(hit(), text("a")), Q]),
    Case("AN-M9", [user(document(citations={"enabled": True}), document())]),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule} {json.dumps(case.raw)[:60]}")
def test_a_broken_rule_is_found_and_kept(case: Case) -> None:
    found_rules = [violation.rule for violation in check(case.raw, case.dialect)]
    assert set(found_rules) == {case.rule, *case.also}
    if case.raw:
        wire = MessageHistory.from_list(case.raw).for_send(case.dialect)
        assert not wire or not check(wire, case.dialect)


def test_results_in_several_messages_are_judged_as_the_strict_server_does() -> None:
    pieces = [
        user("go on"),
        user(result()),
        user(result("t2")),
        user(result(), text("so")),
        user(result(), result("t2")),
    ]
    server, judged = pytest.importorskip("message_history_testing.anthropic").Anthropic(), set[bool]()
    for count in (1, 2, 3):
        for some in product(pieces, repeat=count):
            raw = [Q, assistant(call(), call("t2")), *some]
            doubled = json.dumps(some).count('"t1"') > 1 or json.dumps(some).count('"t2"') > 1
            refused = server.own_rules({"model": "claude-haiku-4-5", "messages": raw}, TAKES_SPLIT) is not None
            assert doubled or bool(check(raw, TAKES_SPLIT)) == refused, raw
            judged.add(refused)
    assert judged == {True, False}


def test_a_violation_says_what_the_api_says() -> None:
    (violation,) = check([Q, assistant(call("a b")), user(result("a b"))], STRICT)[:1]
    assert violation.index == 1
    assert violation.path == "content[0].id"
    assert violation.error == "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"


@pytest.mark.parametrize(
    "raw",
    [
        [assistant("a"), Q],
        [Q, Q],
        [Q, assistant("a"), assistant("b"), Q],
        [Q, assistant(call()), user(result(), text("and"))],
        [Q, assistant(call()), user({"type": "tool_result", "tool_use_id": "t1"})],
        [Q, assistant(thought(), text("a")), Q],
        [Q, assistant({"type": "thinking", "thinking": "", "signature": "c2ln"}, text("a")), Q],
        [Q, assistant(search(), call()), user(result()), assistant(found(), text("a")), Q],
        [Q, assistant(search())],
        [Q, assistant(cited()), Q],
        [Q, assistant({"type": "future", "x": 1}, text("a")), Q],
        [
            Q,
            assistant(search(), {**found(), "content": {"type": "web_search_tool_result_error", "error_code": "x"}}),
            Q,
        ],
        [user(document(citations={"enabled": True}), document(citations={"enabled": True}))],
        [user({"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}})],
    ],
    ids=lambda raw: json.dumps(raw)[:80],
)
def test_what_the_api_takes_is_no_violation(raw: list[Json]) -> None:
    assert not check(raw, STRICT)


@pytest.mark.parametrize(
    "raw",
    [
        [Q, assistant("a"), Q, system("s"), assistant("b"), Q],
        [Q, assistant(call()), user(result()), system("s"), assistant("a"), Q],
        [Q, assistant(search(), found()), system("s"), assistant("a"), Q],
        [Q, system(output_config={"effort": "low"}), Q],
        [Q, system({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}})],
    ],
    ids=lambda raw: json.dumps(raw)[:80],
)
def test_system_messages_where_they_are_taken(raw: list[Json]) -> None:
    assert not check(raw, SYSTEM)
    wire = MessageHistory.from_list(raw).for_send(SYSTEM)
    assert not check(wire, SYSTEM)


# What is read


@pytest.mark.parametrize(
    ("raw", "is_error"),
    [
        (True, True), (1, True), ("true", True), ("yes", True), ({"message": "boom"}, True), (["boom"], True),
        (False, False), (0, False), ("false", False), (" False ", False), ("", False), ([], False), (None, False),
    ],
)  # fmt: skip
def test_a_result_says_whether_it_is_an_error_in_many_ways(raw: Any, *, is_error: bool) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "r", "is_error": raw}
    history = MessageHistory.from_list([Q, assistant(call()), user(result)])
    assert history[2].results[0].is_error is is_error
    odd = [repair for repair in history.repairs if repair.code is RepairCode.VALUE_CONVERTED]
    assert [repair.removed for repair in odd] == ([] if raw is None or isinstance(raw, bool) else [(raw,)])


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "thinking", "thinking": {"a": "deep"}, "signature": "c2ln"},
        {"type": "thinking", "thinking": "deep", "signature": ["c2ln"]},
        {"type": "redacted_thinking", "data": {"a": "deep"}},
    ],
)
def test_thinking_that_its_issuer_would_not_know_is_kept_whole_and_not_sent(broken: Json) -> None:
    history = MessageHistory.from_list([Q, assistant(broken, text("a")), Q])
    assert history.repairs == ()
    assert history[1].content[0] == ProviderBlock("anthropic", broken)
    exported = history.export(STRICT)
    assert exported.messages[1] == assistant(text("a"))
    assert [repair.removed for repair in exported.repairs] == [(history[1].content[0],)]


def test_text_that_is_none_keeps_the_keys_beside_it() -> None:
    history = MessageHistory.from_list([user({"type": "text", "text": {"a": 1}, "note": "n"})])
    assert history[0].content[0] == TextBlock('{"a": 1}', meta=history[0].content[0].meta)
    assert history[0].content[0].extra("anthropic") == {"note": "n"}
    signed: Json = {"type": "text", "text": None, "citations": []}
    assert MessageHistory.from_list([user(text("q"), signed)]).repairs[0].code is RepairCode.BLANK_TEXT_DROPPED


def test_a_title_is_a_document_s_and_a_text() -> None:
    titled: list[Json] = [{**document(), "title": ["t"]}, {"type": "image", "source": PNG, "title": "t"}]
    history = MessageHistory.from_list([user(*titled)])
    assert [block.extra("anthropic")["title"] for block in history[0].content] == [("t",), "t"]
    assert MessageHistory.from_list(history.to_list()) == history


# What is sent


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    case = json.loads(path.read_text())
    dialect = Anthropic.for_model(case["model"])
    history = MessageHistory.from_list(case["source"])
    exported = history.export(dialect)
    assert exported.messages == case["wire"]
    assert exported.system == case["system"]
    assert [repair.code for repair in history.repairs] == case["repairs"]
    assert [repair.code for repair in exported.repairs] == case["export_repairs"]
    again = MessageHistory.from_list(exported.messages, dialect=dialect)
    assert not again.repairs
    assert again.for_send(dialect) == exported.messages


def sent(history: MessageHistory, dialect: Anthropic = STRICT) -> list[Any]:
    return list(history.for_send(dialect))


def content(*blocks: Any) -> list[Any]:
    """Send blocks of a user message, and give what of them goes out."""
    return list(sent(MessageHistory().add_user(list(blocks)))[0]["content"])


def test_the_media_type_says_what_the_data_is() -> None:
    wrong = ImageBlock({"type": "base64", "media_type": "image/png", "data": WEBP})
    assert content(wrong)[0]["source"]["media_type"] == "image/webp"
    assert wrong.source["media_type"] == "image/png"


def test_what_is_no_image_is_told_in_words() -> None:
    (recorded,) = content(ImageBlock({"type": "base64", "media_type": "image/png", "data": "bm90IGFuIGltYWdl"}))
    assert recorded == text("[image left out: it is no image]")


def test_an_encoded_text_is_sent_as_text() -> None:
    (sheet,) = content(DocumentBlock({"type": "base64", "media_type": "text/csv", "data": "YSxi"}, "sheet"))
    assert sheet == {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "a,b"},
        "title": "sheet",
    }


def test_a_long_title_is_cut_and_told() -> None:
    exported = MessageHistory().add_user([DocumentBlock(document()["source"], "T" * 501)]).export(STRICT)
    assert exported.messages[0]["content"][0]["title"] == "T" * 500
    assert [repair.removed[0].title for repair in exported.repairs] == ["T" * 501]  # type: ignore[union-attr]


def test_the_keys_of_a_message_are_told_whatever_it_begins_with() -> None:
    keys = {"note": {"id": 1}}
    begun = {**assistant(search(), found(), text("a")), **keys}
    for raw in ([Q, begun, Q], [{**user(FOUND, text("q")), **keys}]):
        repairs = MessageHistory.from_list(raw).export(STRICT).repairs
        assert [item for repair in repairs for item in repair.removed] == [FrozenDict(keys)]


def test_the_first_document_says_whether_all_are_cited() -> None:
    raw = [user(document(), document(citations={"enabled": True})), assistant("a"), user(document(), "r")]
    exported = MessageHistory.from_list(raw).export(STRICT)
    assert "citations" not in json.dumps(exported.messages)
    raw = [user(document(citations={"enabled": True}), document()), assistant("a"), user(document(), "r")]
    assert json.dumps(MessageHistory.from_list(raw).for_send(STRICT)).count("citations") == 3


def test_keys_of_another_form_are_left_out() -> None:
    odd = Meta(extra=ProviderBlock("", {"anthropic": {"citations": {"enabled": True}, "cache_control": "x"}}).data)
    exported = MessageHistory().add_user([TextBlock("q", meta=odd)]).export(STRICT)
    assert exported.messages == [user(text("q"))]
    assert [repair.code for repair in exported.repairs] == [RepairCode.WITHHELD]


def test_blocks_that_lack_something_are_left_out() -> None:
    odd = [
        ProviderBlock("anthropic", {"type": "search_result", "source": "s"}),
        ProviderBlock("anthropic", {"type": "image", "source": 7}),
        ProviderBlock("anthropic", {"type": "text"}),
    ]
    assert content("q", *odd) == [text("q")]
    reply = MessageHistory().add_user("q").add(Message("assistant", [TextBlock("a"), *odd])).add_user("r")
    assert sent(reply)[1] == assistant(text("a"))


def test_a_search_without_its_content_counts_as_failed() -> None:
    raw = [Q, assistant(search(), found(encrypted_content=""), text("a")), Q]
    exported = MessageHistory.from_list(raw).export(STRICT)
    failed = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    assert exported.messages[1]["content"][1] == {**found(), "content": failed}
    assert [repair.code for repair in exported.repairs] == [RepairCode.WITHHELD]


def test_code_is_answered_with_text() -> None:
    raw = [Q, assistant(search(name="code_execution"), call(**BY_CODE)), user(result(content=[text("a"), image()]))]
    wire = MessageHistory.from_list(raw).for_send(STRICT)
    answer: Any = wire[2]["content"]
    assert answer[0]["content"] == [text("a"), text("[image left out: it cannot be sent here]")]


def test_an_id_that_code_calls_by_is_rewritten_on_both_sides() -> None:
    raw = [
        Q,
        assistant(search("call_1", "code_execution"), call(caller={"type": "code_execution_20260120", "tool_id": "x"})),
    ]
    assert "caller" not in json.dumps(MessageHistory.from_list(raw).for_send(STRICT))
    raw[1]["content"][1]["caller"]["tool_id"] = "srvtoolu_-"
    assert "caller" not in json.dumps(MessageHistory.from_list(raw).for_send(STRICT))


def test_an_id_that_code_calls_by_is_as_long_as_that_of_the_code() -> None:
    id = "srvtoolu_" + "a" * 300
    by_code = call(caller={"type": "code_execution_20260120", "tool_id": id})
    code, called = MessageHistory.from_list(
        [Q, assistant(search(id, "code_execution"), by_code), user(result())]
    ).for_send(STRICT)[1]["content"]
    assert code["id"] == called["caller"]["tool_id"] != id


def test_the_name_of_a_toolset_is_the_call_s() -> None:
    raw = [Q, assistant(call(**BROWSER), call("t2")), user(result(), result("t2", **BROWSER))]
    answers: Any = MessageHistory.from_list(raw).for_send(STRICT)[2]["content"]
    assert [answer.get("toolset_name") for answer in answers] == ["browser", None]


def test_a_mark_of_a_block_that_is_left_out_does_not_count() -> None:
    lost = {**found(), "cache_control": MARK}
    marked = [text(f"q{n}", cache_control=MARK) for n in range(4)]
    exported = MessageHistory.from_list([user(*marked), assistant(lost, text("a")), Q]).export(STRICT)
    assert json.dumps(exported.messages).count("cache_control") == 4


def test_a_system_message_is_sent_as_far_as_it_may() -> None:
    change = {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}}
    raw = [Q, system(text("s"), change, image(), clear_at="never"), assistant("a"), Q]
    history = MessageHistory.from_list(raw)
    wire = history.for_send(SYSTEM)
    assert wire[1] == system(text("s"), change)
    assert not check(wire, SYSTEM)
    assert "tool_removal" not in json.dumps(history.for_send(STRICT))


def test_system_words_where_they_are_not_taken() -> None:
    history = MessageHistory().add_user("q").add_assistant("a").add(Message.user(TextBlock("r"), SystemBlock("s")))
    assert sent(history)[2]["content"][1] == text("<system>\ns\n</system>")
    assert sent(history, SYSTEM)[3] == system(text("s"))


def test_thinking_stays_where_it_was_and_as_it_was() -> None:
    raw = [Q, assistant(thought(), text("a"), thought("Zm9v"), call()), user(result())]
    assert MessageHistory.from_list(raw).for_send(STRICT)[1] == raw[1]


@pytest.mark.parametrize(
    "broken", [thought(thinking="\ud83d"), thought("\ud83d"), thought("YQ==", thinking="é \ud83d")]
)
def test_signed_thinking_that_cannot_be_written_is_left_out(broken: Json) -> None:
    assert sent(MessageHistory.from_list([Q, assistant(broken, text("a")), Q]))[1] == assistant(text("a"))


def test_thinking_of_others_is_left_out() -> None:
    foreign = ThinkingBlock("hm", "c2ln", meta=Meta(issuer="gemini"))
    history = MessageHistory().add_user("q").add(Message("assistant", [foreign, TextBlock("a")])).add_user("r")
    assert sent(history)[1] == assistant(text("a"))


def test_a_system_message_behind_the_user_is_a_violation_only_at_models_that_are_known_to_refuse_it() -> None:
    wire = [Q, {"role": "system", "content": "s"}]
    assert not check(wire, Anthropic())
    assert [violation.rule for violation in check(wire, Anthropic.for_model("claude-sonnet-4-5"))] == ["AN-A9"]
    assert [violation.rule for violation in check(wire[1:] + wire[:1], Anthropic())] == ["AN-A5"]
    assert [message["role"] for message in MessageHistory.from_list(wire).for_send(Anthropic())] == ["user"]


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("claude-3-5-sonnet-latest", {"leading_assistant", "prefill", "split_results"}),
        ("claude-opus-4-5", {"leading_assistant", "prefill", "split_results"}),
        ("anthropic.claude-sonnet-4-6-v1:0", {"leading_assistant", "split_results", "data_only"}),
        ("claude-opus-4-8", {"leading_assistant", "split_results", "system_in_list"}),
        ("claude-opus-5-5", {"leading_assistant", "split_results", "system_in_list", "binds_thinking"}),
        ("claude-fable-5-1", {"leading_assistant", "split_results", "system_in_list", "binds_thinking"}),
        ("claude-sonnet-5", {"leading_assistant", "split_results", "system_in_list"}),
        ("claude-opus-9", {"split_results", "binds_thinking"}),
        ("kimi-k3", {"split_results", "binds_thinking"}),
    ],
)
def test_the_fields_of_a_model(model: str, fields: set[str]) -> None:
    found = Anthropic.for_model(model)
    assert {name for name, value in asdict(found, recurse=False).items() if value is True} == fields


def test_addresses_of_images_and_documents_go_back_to_the_api_itself() -> None:
    pdf = document(source={"type": "url", "url": "https://example.com/a.pdf"})
    raw = [user(text("see"), at("https://example.com/a.png"), pdf)]
    direct = Anthropic.for_model("claude-sonnet-4-5")
    assert check(raw, direct) == []
    assert MessageHistory.from_list(raw).for_send(direct) == raw
    assert "https" not in str(MessageHistory.from_list(raw).for_send(ON_BEDROCK))


def test_text_goes_before_the_calls_and_that_is_recorded() -> None:
    history = MessageHistory().add_user("q").add_assistant(ToolUseBlock("t1", "f", {}))
    history = history.add_assistant("I wait.").add_tool_result("t1", "ok")
    export = history.export(STRICT)
    assert export.messages[1]["content"] == [text("I wait."), call()]
    assert [(repair.code, repair.index) for repair in export.repairs] == [("rewritten", 1)]
    assert not check(export.messages, STRICT)
    again = MessageHistory.from_list(export.messages)
    assert not again.repairs
    assert again.export(STRICT) == evolve(export, repairs=())


def test_white_space_of_the_assistant_beside_other_text_goes_back_as_it_came() -> None:
    raw = [Q, assistant(text("\n\n"), thought(), text("a"), call()), user(result())]
    assert not check(raw, STRICT)
    history = MessageHistory.from_list(raw)
    export = history.export(Anthropic.for_model("claude-opus-4-6"))
    assert not history.repairs
    assert not export.repairs
    assert export.messages[1] == raw[1]
    assert MessageHistory.from_list(history.to_list()) == history
    assert history[1].text == "a"


@pytest.mark.parametrize("others", [(), (call(),), (thought(), call())])
def test_white_space_that_is_all_the_text_of_a_message_is_dropped(others: tuple[Json, ...]) -> None:
    raw = [Q, assistant(text("\n\n"), *others), *([user(result())] if others else [])]
    assert "AN-B3" in {violation.rule for violation in check(raw, STRICT)}
    history = MessageHistory.from_list(raw)
    assert RepairCode.BLANK_TEXT_DROPPED in {repair.code for repair in history.repairs}
    assert not check(history.for_send(STRICT), STRICT)


@pytest.mark.parametrize("signature", ["minimax-sig", '{"format": "x"}', "rs_1", "a=b", "c2ln "])
def test_thinking_that_no_claude_can_have_signed_is_omitted(signature: str) -> None:
    raw = [Q, assistant(thought(signature), text("a")), Q]
    assert [violation.rule for violation in check(raw, STRICT)] == ["AN-T4"]
    export = MessageHistory.from_list(raw).export(STRICT)
    assert export.messages[1] == assistant(text("a"))
    assert [type(repair.removed[0]) for repair in export.repairs] == [ThinkingBlock]


@pytest.mark.parametrize(
    "signature", ["c2ln", "EqQBCgIYAg==", "<masked>", "EqQB<truncated 80 chars>", "***", "[MASKED]"]
)
def test_thinking_that_claude_may_have_signed_goes_back(signature: str) -> None:
    raw = [Q, assistant(thought(signature), text("a")), Q]
    assert not check(raw, STRICT)
    assert sent(MessageHistory.from_list(raw))[1] == raw[1]


@pytest.mark.parametrize("kind", ["reasoning", "refusal", "image_url", "tool-call", "function_call", "web_search_call"])
def test_a_block_that_another_api_made_is_omitted(kind: str) -> None:
    raw = [Q, assistant({"type": kind, "text": "x"}, text("a")), Q]
    assert [violation.rule for violation in check(raw, STRICT)] == ["AN-B6"]
    history = MessageHistory.from_list(raw, dialect=STRICT)
    assert history.for_send(STRICT)[1] == assistant(text("a"))


def test_system_words_stay_in_their_place_where_no_system_message_may_be() -> None:
    history = MessageHistory().add_user(["a", SystemBlock("s"), "b"])
    texts = [block["text"] for block in sent(history)[0]["content"]]
    assert texts == ["a", "<system>\ns\n</system>", "b"]
    begun = MessageHistory().add_user(["a", SystemBlock("s")])
    assert [block["text"] for block in sent(begun)[0]["content"]] == texts[:2]


def test_a_server_tool_with_its_result_goes_before_the_calls() -> None:
    raw = [Q, assistant(call(), search(), found()), user(result())]
    (_, written, _) = sent(MessageHistory.from_list(raw))
    assert written["content"] == [search(), found(), call()]


def test_calls_and_the_thinking_between_them_go_out_as_they_came() -> None:
    raw = [Q, assistant(thought(), call(), thought("ZW5j"), call("t2")), user(result(), result("t2"))]
    export = MessageHistory.from_list(raw).export(Anthropic.for_model("claude-opus-4-8"))
    assert export.messages[1] == raw[1]
    assert not export.repairs


def test_a_call_may_have_the_id_of_a_server_tool_when_a_result_answers_it() -> None:
    raw = [Q, assistant(call("srvtoolu_1")), user(result("srvtoolu_1"))]
    assert not check(raw, STRICT)
    export = MessageHistory.from_list(raw).export(STRICT)
    assert not export.repairs
    assert export.messages[1] == raw[1]


def test_results_in_several_messages_are_refused_only_where_the_dialect_says_so() -> None:
    raw = [Q, assistant(call(), call("t2")), user(result()), user(result("t2"))]
    assert [violation.rule for violation in check(raw, STRICT)] == ["AN-C3"]
    for takes in (Anthropic(), Anthropic.for_model("claude-haiku-4-5"), Anthropic.for_model("claude-opus-9")):
        assert not check(raw, takes)
        assert len(MessageHistory.from_list(raw, dialect=takes).for_send(takes)) == 3


def test_many_search_results_are_written_in_time_in_proportion() -> None:
    def lines(count: int) -> int:
        history = MessageHistory.from_list([Q, assistant(call()), user(result(content=[FOUND] * count))])
        assert len(history.for_send(STRICT)[2]["content"][0]["content"]) == count
        return lines_of(lambda: history.for_send(STRICT))

    assert lines(400) < 5 * lines(100)


def test_the_check_of_many_calls_takes_time_in_proportion() -> None:
    def lines(count: int) -> int:
        ids = [f"t{n}" for n in range(count)]
        raw = [Q, assistant(*map(call, ids)), *(user(result(id)) for id in ids), assistant("done"), Q]
        return lines_of(lambda: check(raw, STRICT))

    assert lines(400) < 5 * lines(100)


def test_results_of_calls_that_come_from_code_and_toolsets_round_trip() -> None:
    raw = [
        user(text("q")),
        assistant(search(name="code_execution"), call(**BY_CODE), call("t2", **BROWSER)),
        user(result(content=[text("a")]), result("t2", [text("b"), image()], **BROWSER)),
    ]
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    assert history.for_send(STRICT) == raw
    assert isinstance(history[1].content[1], ToolUseBlock)
    assert isinstance(history[2].content[1], ToolResultBlock)


def test_white_space_at_the_end_of_a_block_that_is_no_text_is_no_prefilled_answers() -> None:
    raw = [Q, assistant({"type": "unknown", "text": "a "})]
    assert "AN-B4" not in {violation.rule for violation in check(raw, PREFILL)}
    assert "AN-B4" in {violation.rule for violation in check([Q, assistant({"type": "text", "text": "a "})], PREFILL)}


def test_thinking_of_models_that_sign_nothing_goes_back_to_them() -> None:
    deepseek = Anthropic.for_model("deepseek/deepseek-v4.1-flash")
    thinking = {"type": "thinking", "thinking": "hm", "signature": ""}
    raw = [Q, assistant(thinking, call("chatcmpl-tool-1")), user(result("chatcmpl-tool-1"))]
    assert check(raw, deepseek) == []
    sent = MessageHistory.from_list(raw, dialect=deepseek).export(deepseek)
    assert sent.messages[1]["content"][0] == thinking
    assert check(sent.messages, deepseek) == []
    unsigned = [Q, assistant({"type": "thinking", "thinking": "hm"}, text("a")), Q]
    assert [one.rule for one in check(unsigned, deepseek)] == ["AN-T5"]
    assert check(MessageHistory.from_list(unsigned).for_send(deepseek), deepseek) == []
    assert [one.rule for one in check(raw, Anthropic())] == ["AN-T5"]


NUMBERS = dict.fromkeys(("document_index", "search_result_index", "start_block_index", "end_block_index"), 0)
NUMBERS |= {"start_char_index": 0, "end_char_index": 0, "start_page_number": 1, "end_page_number": 1}
BOUNDS: list[tuple[str, str, Any, Any]] = [
    *((kind["type"], key, NUMBERS[key], NUMBERS[key] - 1) for kind in CITED for key in kind if key in NUMBERS),
    *((kind["type"], "document_title", "t" * 500, "t" * 501) for kind in CITED if "document_title" in kind),
    *((kind["type"], "document_title", "t", "") for kind in CITED if "document_title" in kind),
    ("web_search_result_location", "title", "t" * 512, "t" * 513),
    ("web_search_result_location", "title", "t", ""),
]


@pytest.mark.parametrize(("kind", "key", "fits", "not_any_more"), BOUNDS)
def test_what_a_citation_names_is_within_bounds(kind: str, key: str, fits: Any, not_any_more: Any) -> None:
    (cited,) = (each for each in CITED if each["type"] == kind)
    for value, taken in ((fits, True), (not_any_more, False)):
        raw = [Q, assistant(text("a", citations=[{**cited, key: value}])), Q]
        assert (check(raw, STRICT) == []) is taken
        assert check(MessageHistory.from_list(raw).for_send(STRICT), STRICT) == []


def test_the_name_of_a_tool_that_a_result_refers_to_has_256_characters_at_most() -> None:
    for length, taken in ((1, True), (256, True), (257, False), (0, False)):
        found = [{"type": "tool_reference", "tool_name": "f" * length}]
        raw = [Q, assistant(call()), user({"type": "tool_result", "tool_use_id": "t1", "content": found})]
        assert (check(raw, STRICT) == []) is taken


def test_of_a_table_that_goes_out_as_text_nothing_else_goes_with_it() -> None:
    source = {"type": "base64", "media_type": "text/csv", "data": "YSxi", "encoding": "utf-8"}
    exported = MessageHistory().add_user([DocumentBlock(source), "q"]).export(STRICT)
    assert exported.messages[0]["content"][0]["source"] == {"type": "text", "media_type": "text/plain", "data": "a,b"}
    assert any("utf-8" in repr(repair.removed) for repair in exported.repairs)
