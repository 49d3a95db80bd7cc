"""Uses that a type checker must accept; never run, only checked."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

from message_history import (
    DocumentBlock,
    Export,
    ImageBlock,
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    Repair,
    RepairCode,
    Severity,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Violation,
    check,
)
from message_history.dialects import Anthropic, Dialect, Native, OpenAIChat
from message_history.files.files import SavedFile, read_file
from message_history.files.repaired_lists import RepairedList, repair_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def use(*values: object) -> None:
    """Stand in for whatever is done with values."""


def takes_messages(messages: Iterable[dict[str, Any]]) -> None:
    """Stand in for an SDK's own call."""


def takes_a_sequence(messages: Sequence[Message]) -> Message:
    return messages[0]


class SdkMessage:
    """Stand in for an SDK's object, such as `response.choices[0].message`."""

    def model_dump(self, *, mode: str = "python", **options: bool) -> dict[str, Any]:
        return {"role": "user", "content": "q", "mode": mode, "options": options}


def growing(response: object) -> MessageHistory:
    history = MessageHistory()
    history = MessageHistory(policy=Policy(leading_assistant="drop", on_violation="raise"))
    history = history.add(Message("user", "q")).add(Message.user("q", TextBlock("and"))).add(Message.assistant("a"))
    history = history.add({"role": "user", "content": "q"})
    raw: Mapping[str, Any] = {"role": "user", "content": "q"}
    history = history.add(raw).add(SdkMessage()).extend([SdkMessage()])
    history = history.add_user("q").add_user(TextBlock("q")).add_user(["q", TextBlock("q")])
    history = history.add_assistant("a").add_assistant(ToolUseBlock("1", "f", {"x": [1, {"y": None}]}))
    history = history.add_assistant(["a", ThinkingBlock("hm", "signature")], interrupted=True)
    for call in history.awaiting:
        history = history.add_tool_result(call, {"any": ["json", 1, None]}, is_error=False)
    history = history.add_tool_result("1", "text", True).add_tool_result("1").add_tool_result("1", TextBlock("x"))
    history = history.add_response(response).add_response(response, dialect=OpenAIChat())
    history = history.extend([Message.user("q"), {"role": "assistant", "content": "a"}])
    return history.extend(message for message in history).extend(history)


def sending(history: MessageHistory) -> None:
    takes_messages(history.for_send(Native()))
    wire = history.for_send()
    wire.append({"role": "user", "content": "yours to change"})
    chat = history.for_send(OpenAIChat(prefill=True))
    chat.reverse()
    takes_messages(history.to_list())
    dialect: Dialect[Any] = Anthropic.for_model("claude-sonnet-4-5")
    takes_messages(history.for_send(dialect))
    encoded: bytes = history.for_send_json(dialect)
    export: Export = history.export(Anthropic(prefill=True))
    repairs: tuple[Repair, ...] = export.repairs
    use(encoded, export.messages, export.system, repairs)


def reading(raw: list[Any], history: MessageHistory) -> list[str]:
    read: MessageHistory = MessageHistory.from_list(raw)
    read = MessageHistory.from_list(iter(raw), dialect=Native(), policy=Policy(), open_tail="keep")
    read = read.as_sent().as_sent(Anthropic(), reason="cancelled").without_unanswered()
    read = read.with_system("s").with_system(None)
    first: Message = read[0]
    some: tuple[Message, ...] = read[1:]
    each: Iterator[Message] = iter(read)
    number: int = len(read) + read.count(first) + read.index(first)
    same: bool = read == history and hash(read) == hash(history) and first in read and bool(read)
    use(each, number, same, takes_a_sequence(read), list(reversed(read)), some)
    system: str | None = copy.deepcopy(read).system
    pickled: bytes = pickle.dumps(read)
    policy: Policy = read.policy
    return [f"{repair.code.value} {repair.severity} {repair.index}" for repair in read.repairs] + [
        repr((system, pickled, policy))
    ]


def looking(message: Message) -> None:
    text: str = message.text
    calls: tuple[ToolUseBlock, ...] = message.calls
    for call in calls:
        value: object = call.input["x"]
        raw: Mapping[str, Any] = call.input
        use(text, value, dict(raw), call.id, call.name, call.readable)
    for result in message.results:
        use(result.tool_use_id, result.content, result.is_error, result.is_stub, result.text)
    for block in message.content:
        match block:
            case TextBlock(text=words) | SystemBlock(text=words):
                use(words)
            case ImageBlock(source=source) | DocumentBlock(source=source):
                use(source["type"])
            case RedactedThinkingBlock(data=data):
                use(data)
            case ProviderBlock(dialect=name):
                use(name)
            case ToolResultBlock():
                use(block.text)
            case _:
                use(block)


def repairing(path: str) -> None:
    file: SavedFile = read_file(path)
    violations: list[Violation] = check(file.entries, file.dialect())
    repaired: RepairedList = repair_file(file, to=OpenAIChat())
    try:
        file.history(policy=Policy(on_violation="raise"))
    except InvariantError as error:
        code: RepairCode = error.code
        use(code.severity is Severity.LOSSY, error.index, [repair.removed for repair in error.violations])
    use(violations, repaired.data)
