"""Conversations that have one feature each, and the files in which version 0.2 saved them, which never change.

`python -m tests.saved.conversations` writes the files that are not there yet, and touches no other.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.blocks import forgotten
from message_history.dialects import Anthropic, OpenAIChat
from message_history.integrations.state import SAVED, save
from message_history.storage import JsonlSession, SqlSession

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER: Final = Path(__file__).parent / "0.2"
NEW: Final = MessageHistory(name="alice")
USAGE: Final = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 2}
REPLY: Final[dict[str, Any]] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5",
    "content": [{"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn",
    "usage": USAGE,
}
PIXEL: Final = "iVBORw0KGgo="


def pay(amount: int, id: str = "call_0") -> ToolUseBlock:
    """Propose to pay."""
    return ToolUseBlock(id, "pay", {"amount": amount})


def texts() -> MessageHistory:
    """Words of everybody, of any script."""
    history = NEW.with_system("Be brief.").add_user(["Hi", "Grüße, 你好 \N{WAVING HAND SIGN}"]).add_assistant("Hello.")
    return history.add_user([TextBlock("And?"), SystemBlock("Be kind.")])


def metadata() -> MessageHistory:
    """Messages that were joined, each with what came with it."""
    history = NEW.add_user("a", metadata={"id": "m1", "at": 3}).add_user("b").add_user("c", metadata={"n": [1, None]})
    history = history.add_response(REPLY, metadata={"id": "r1"}).add_assistant(pay(5))
    return history.add(Message.user(ToolResultBlock("call_0", "paid")), metadata={"id": "t1"})


def calls() -> MessageHistory:
    """Parallel calls under one id, a result that is an error, and calls without one."""
    history = NEW.add_user("Pay.").add_assistant([TextBlock("I pay."), pay(5), pay(6), pay(7, "call_1")])
    first, second, _ = history.awaiting
    history = history.add_tool_result(first, "paid").add_tool_result(second, [TextBlock("no money")], True)
    return history.add_assistant("One is open.").add_user("Go on.").add_assistant([pay(8), pay(9, "call_1")])


def states() -> MessageHistory:
    """Every state that may be recorded, in the open turn and behind it, late results and second ones."""
    history = NEW.add_user("Pay.")
    for number, state in enumerate(("waiting", "approved", "denied", "cancelled", "started")):
        history = history.add_assistant(pay(number, f"call_{number}"))
        history = history.record_call(f"call_{number}", state, reason="too much" if state == "denied" else "")
        history = history.add_user(f"user {number}")
    history = history.add_assistant(pay(9, "call_9")).add_user("Well?").add_assistant("Hm.").add_user("So?")
    history = history.record_call("call_0", "denied", reason="no").record_call("call_1", "started")
    history = history.add_tool_result("call_9", "paid 9").add_tool_result("call_9", "paid 9 again")
    return history.add_assistant([pay(10), pay(11, "call_1")]).record_call(key=history.calls[1].key, state="approved")


def decisions() -> MessageHistory:
    """Who decided, when, until when and why, and what a person edited."""
    history = NEW.add_user("Pay.").add_assistant([pay(5), pay(6, "call_1"), pay(7, "call_2")])
    history = history.record_call("call_0", "waiting", by="agent").record_call("call_0", "approved", by="Ann", at=10.5)
    history = history.record_call("call_0", "started", by="worker 1", until=100).add_tool_result("call_0", "paid")
    history = history.record_call("call_1", "approved", by="Ann", input={"amount": 4}).add_tool_result("call_1", "paid")
    history = history.record_call("call_2", "denied", by="Bob", reason="too much")
    history = history.add_assistant(pay(8)).add_user("Hurry.").add_assistant("It waits.").add_user("Now?")
    history = history.record_call(history.calls[3].call, "approved", by="Ann", at=20, input={"amount": 3})
    return history.add_tool_result(history.calls[3].call, "paid 3")


def places_forgotten() -> MessageHistory:
    """Places where something was forgotten."""
    blocks = [TextBlock("x"), ThinkingBlock("x", "c2ln"), pay(5)]
    history = NEW.add(Message.user(forgotten(TextBlock("x"), "asked")))
    history = history.add(Message("assistant", [forgotten(block, "asked") for block in blocks]))
    return history.add(Message.user(forgotten(ToolResultBlock("call_0", "x", True), "asked"))).add_assistant("Gone.")


def replies() -> MessageHistory:
    """What providers said of replies."""
    history = NEW.add_user("Hi").add_response(REPLY).add_user("On")
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    message = {"role": "assistant", "content": None, "refusal": "I cannot."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    chunk = {"id": "c1", "object": "chat.completion", "model": "gpt-4.1", "choices": [choice], "usage": usage}
    return history.add_response(chunk).add_user("Well?")


def media() -> MessageHistory:
    """Images and documents, by the user and by a tool."""
    image = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    page = DocumentBlock({"type": "url", "url": "https://example.com/a.pdf"}, "A page")
    history = NEW.add_user(["Look:", image, page]).add_assistant(pay(5))
    return history.add_tool_result("call_0", ["receipt", image])


def thinking() -> MessageHistory:
    """Thinking that is signed, redacted, or invalidated by another system prompt."""
    signed = [ThinkingBlock("They ask.", "c2ln"), RedactedThinkingBlock("cmVk"), TextBlock("Hello.")]
    history = NEW.add_user("Hi").add_assistant(signed).with_system("Be kind.").add_user("On")
    return history.add_assistant([ThinkingBlock("Again.", "c2lnMg=="), TextBlock("Yes.")])


def of_providers() -> MessageHistory:
    """Keys and blocks that only their provider knows."""
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    cached = {"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}, "odd": [1]}
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{ "a":1}'}, "odd": True}
    raw: list[Any] = [{"role": "user", "content": [cached], "odd": 1}, {"role": "assistant", "content": [search]}]
    history = MessageHistory.from_list(raw, dialect=Anthropic())
    asks = [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call], "name": "bot"}]
    history = history.extend(MessageHistory.from_list(asks, dialect=OpenAIChat()))
    return history.add_tool_result("1", "x").add_assistant(ProviderBlock("gemini", {"executableCode": {"code": "1"}}))


def cut() -> MessageHistory:
    """Newest turns: a placeholder leads, keys are those of the whole history, and one call was proposed anew."""
    history = NEW.add_user("0")
    for n in range(4):
        history = history.add_assistant(pay(5)).add_tool_result("call_0", n).add_assistant("ok").add_user(str(n + 1))
    return history.add_assistant(pay(5)).rewind().add_user("4").add_assistant(pay(5)).drop_before(9, pin=None)


def compacted() -> MessageHistory:
    """A summary stands for what was before, and an old result was shortened."""
    return cut().add_tool_result("call_0", "done").trim_results(older_than=2).compact("They paid.", keep_from=4)


def sent() -> MessageHistory:
    """What was sent while a call waited, and ended with the assistant."""
    history = NEW.add_user("Pay.").add_assistant(pay(5)).as_sent(Anthropic(), reason="interrupted")
    return history.add_assistant("I go on.").as_sent(Anthropic.for_model("claude-opus-5"))


BUILT: Final[dict[str, Callable[[], MessageHistory]]] = {
    each.__name__: each
    for each in (
        texts,
        metadata,
        calls,
        states,
        decisions,
        places_forgotten,
        replies,
        media,
        thinking,
        of_providers,
        cut,
        compacted,
        sent,
    )
}
STRICT: Final = Policy(stub_text="[nothing]", leading_assistant="drop")


def as_text(value: dict[str, Any]) -> str:
    """Write a value as the files have it: each entry of a list on a line of its own."""
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {_lines(each)}" for key, each in value.items()) + "\n}\n"


def _lines(value: object) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(f"  {json.dumps(each, ensure_ascii=False)}" for each in value) + "\n]"


def saved_list(name: str) -> str:
    """Write what `to_list` gives, and the keys of the calls, which nothing else of it may show."""
    history = BUILT[name]()
    return as_text({"messages": history.to_list(), "keys": [each.key for each in history.calls]})


def state() -> MessageHistory:
    """A history with a policy of its own, and with repairs."""
    history = MessageHistory(policy=STRICT, name="alice").add_assistant("dropped").add_user(["Hi", " "])
    return history.add_assistant(pay(5)).add_user("On").add_assistant("It waits.")


def saved_state() -> str:
    """Write what frameworks keep."""
    return as_text(json.loads(save(state())[SAVED]))


def stored() -> list[MessageHistory]:
    """A conversation at three times, as sessions store it: with a system prompt, repairs, metadata and decisions."""
    begun = cut().with_system("Be brief.").add_user(["Hi", " "], metadata={"id": "m1"})
    asked = begun.add_response(REPLY).add_assistant([pay(5), pay(6, "call_1")])
    decided = asked.record_call("call_1", "approved", by="Ann", at=10, until=20, input={"amount": 4})
    return [begun, decided, decided.add_tool_result("call_1", "paid").add_user("So?")]


def saved_lines(folder: Path) -> str:
    """Write a session in a file, as it grew."""
    session = JsonlSession(folder / "a.jsonl")
    for history in stored():
        session.append(history)
    return session.path.read_text(encoding="utf-8")


def saved_rows(folder: Path) -> str:
    """Write a session in a database, as it grew, and what makes its tables and rows again, with the index of words."""
    session = SqlSession(folder / "a.db", "alice")
    for history in stored():
        session.append(history)
    session.describe(owner="ann", title="The weather", labels=["team"], created=1.0, updated=2.0)
    with closing(sqlite3.connect(folder / "a.db")) as database:
        made = database.execute(f"SELECT sql FROM sqlite_master WHERE {OWN} AND sql IS NOT NULL ORDER BY rowid")
        lines = [f"{sql};" for (sql,) in made]
        for table in own_tables(database):
            for row in database.execute(f"SELECT * FROM {table}").fetchall():
                values = (database.execute("SELECT quote(?)", (value,)).fetchone()[0] for value in row)
                lines.append(f"INSERT INTO {table} VALUES ({', '.join(values)});")
    return "\n".join(lines) + "\n"


OWN: Final = "NOT (type = 'table' AND name LIKE 'message_history_words_%') AND name NOT LIKE 'sqlite_%'"
"""SQLite makes and fills the tables of its sequences, and those in which it keeps an index of words."""


def own_tables(database: sqlite3.Connection) -> list[str]:
    wanted = f"SELECT name FROM sqlite_master WHERE {OWN} AND type = 'table' AND name != 'message_history_words'"
    return [name for (name,) in database.execute(wanted).fetchall()]


def main() -> None:
    """Write the files that are not there."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        files = {f"{name}.json": saved_list(name) for name in BUILT}
        files |= {"state.json": saved_state(), "session.jsonl": saved_lines(Path(folder))}
        files["session.sql"] = saved_rows(Path(folder))
    for name, text in files.items():
        if not (FOLDER / name).exists():
            (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
