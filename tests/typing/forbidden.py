"""Uses that a type checker must refuse; never run, only checked.

Each statement says what mypy reports for it. As unused ignores are errors, one that becomes allowed fails the check.
"""

from __future__ import annotations

from message_history import (
    Message,
    MessageHistory,
    Policy,
    Repair,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Anthropic, OpenAIChat


def a_history_is_no_list(history: MessageHistory, message: Message) -> None:
    history.append(message)  # type: ignore[attr-defined]
    history.insert(0, message)  # type: ignore[attr-defined]
    history.pop()  # type: ignore[attr-defined]
    history.clear()  # type: ignore[attr-defined]
    history.remove(message)  # type: ignore[attr-defined]
    history.reverse()  # type: ignore[attr-defined]
    history.sort()  # type: ignore[attr-defined]
    history.messages.append(message)  # type: ignore[attr-defined]
    history[0] = message  # type: ignore[index]
    history[0:1] = [message]  # type: ignore[index]
    del history[0]  # type: ignore[attr-defined]
    history += [message]  # type: ignore[operator]
    history *= 2  # type: ignore[operator, assignment]
    history + history  # type: ignore[operator]


def a_slice_is_a_tuple(history: MessageHistory, message: Message) -> None:
    history[1:].append(message)  # type: ignore[attr-defined]


def there_is_no_way_round_add(message: Message) -> None:
    MessageHistory([message])  # type: ignore[call-arg, arg-type]
    MessageHistory(messages=[message])  # type: ignore[call-arg]
    MessageHistory(policy="raise")  # type: ignore[arg-type]


def no_attribute_of_a_history_can_be_set(history: MessageHistory, policy: Policy) -> None:
    history.system = "s"  # type: ignore[misc]
    history.policy = policy  # type: ignore[misc]
    history.repairs = ()  # type: ignore[misc]
    history.awaiting = ()  # type: ignore[misc]
    history.anything = 1  # type: ignore[attr-defined]
    history.repairs.append(1)  # type: ignore[attr-defined]
    history.awaiting.clear()  # type: ignore[attr-defined]


def a_history_cannot_be_subclassed() -> None:
    class Other(MessageHistory):  # type: ignore[misc]
        pass


def a_message_cannot_be_subclassed() -> None:
    class Other(Message):  # type: ignore[misc]
        pass


def a_block_cannot_be_subclassed() -> None:
    class Other(TextBlock):  # type: ignore[misc]
        pass


def a_call_cannot_be_subclassed() -> None:
    class Other(ToolUseBlock):  # type: ignore[misc]
        pass


def a_policy_cannot_be_subclassed() -> None:
    class Other(Policy):  # type: ignore[misc]
        pass


def a_repair_cannot_be_subclassed() -> None:
    class Other(Repair):  # type: ignore[misc]
        pass


def a_dialect_cannot_be_subclassed() -> None:
    class Other(Anthropic):  # type: ignore[misc]
        pass


def there_are_two_roles(role: str) -> None:
    Message("tool", "x")  # type: ignore[arg-type]
    Message("system", "x")  # type: ignore[arg-type]
    Message("User", "x")  # type: ignore[arg-type]
    Message(role, "x")  # type: ignore[arg-type]
    Message(None, "x")  # type: ignore[arg-type]


def arguments_have_types(history: MessageHistory) -> None:
    Message("user", 1)  # type: ignore[arg-type]
    Message("user")  # type: ignore[call-arg]
    history.add("q")  # type: ignore[arg-type]
    history.add(None)  # type: ignore[arg-type]
    history.add([Message.user("q")])  # type: ignore[arg-type]
    history.add_user(None)  # type: ignore[arg-type]
    history.add_user(b"q")  # type: ignore[arg-type]
    history.add_assistant(1)  # type: ignore[arg-type]
    history.add_assistant("a", True)  # type: ignore[call-arg]
    history.add_tool_result(1, "x")  # type: ignore[arg-type]
    history.add_tool_result(None, "x")  # type: ignore[arg-type]
    history.extend(Message.user("q"))  # type: ignore[arg-type]
    history.extend(1)  # type: ignore[arg-type]
    history.with_system(1)  # type: ignore[arg-type]
    history.as_sent(reason="lost")  # type: ignore[arg-type]
    history.for_send("anthropic")  # type: ignore[call-overload]
    history.for_send(Anthropic)  # type: ignore[call-overload]
    history["last"]  # type: ignore[call-overload]
    MessageHistory.from_list(None)  # type: ignore[arg-type]
    MessageHistory.from_list([], dialect="openai")  # type: ignore[arg-type]
    MessageHistory.from_list([], open_tail="drop")  # type: ignore[arg-type]
    MessageHistory.from_list([], None)  # type: ignore[call-arg]
    check([], "anthropic")  # type: ignore[arg-type]


def values_have_types() -> None:
    TextBlock(1)  # type: ignore[arg-type]
    ToolUseBlock("1", "f", "{}")  # type: ignore[arg-type]
    ToolUseBlock(1, "f", {})  # type: ignore[arg-type]
    ToolUseBlock("1", "f")  # type: ignore[call-arg]
    ToolResultBlock(1, "x")  # type: ignore[arg-type]
    ToolResultBlock("1", "x", is_error="no")  # type: ignore[arg-type]
    Policy("drop")  # type: ignore[call-arg]
    Policy(leading_assistant="keep")  # type: ignore[arg-type]
    Policy(on_violation="ignore")  # type: ignore[arg-type]
    Anthropic(True)  # type: ignore[call-arg]
    OpenAIChat(system_role="tool")  # type: ignore[arg-type]
    Repair(code="result_moved", index=0)  # type: ignore[arg-type]


def no_field_can_be_set(message: Message, call: ToolUseBlock, result: ToolResultBlock, repair: Repair) -> None:
    message.role = "user"  # type: ignore[misc]
    message.content = ()  # type: ignore[misc]
    message.content[0] = call  # type: ignore[index]
    message.content.append(call)  # type: ignore[attr-defined]
    message.text = "x"  # type: ignore[misc]
    message.anything = 1  # type: ignore[attr-defined]
    call.frozen_input.anything = 1  # type: ignore[attr-defined]
    call.id = "2"  # type: ignore[misc]
    call.name = "g"  # type: ignore[misc]
    call.input = {}  # type: ignore[misc]
    call.frozen_input["x"] = 1  # type: ignore[index]
    del call.frozen_input["x"]  # type: ignore[attr-defined]
    call.frozen_input.update(x=1)  # type: ignore[attr-defined]
    call.frozen_input.pop("x")  # type: ignore[attr-defined]
    call.frozen_input.setdefault("x", 1)  # type: ignore[attr-defined]
    result.tool_use_id = "2"  # type: ignore[misc]
    result.content = ()  # type: ignore[misc]
    result.is_error = True  # type: ignore[misc]
    result.content.append(call)  # type: ignore[attr-defined]
    TextBlock("x").text = "y"  # type: ignore[misc]
    ThinkingBlock("x").thinking = "y"  # type: ignore[misc]
    repair.removed = ()  # type: ignore[misc]
    repair.code = RepairCode.REWRITTEN  # type: ignore[misc]
    repair.severity = "lossless"  # type: ignore[misc, assignment]
    RepairCode.REWRITTEN = RepairCode.WITHHELD  # type: ignore[misc]
    Policy().stub_text = "x"  # type: ignore[misc]
    Anthropic().prefill = True  # type: ignore[misc]
