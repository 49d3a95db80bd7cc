"""Histories that are dropped, each on a line with its mark, and some that are used."""

from message_history import MessageHistory, ToolUseBlock


def used(history: MessageHistory) -> MessageHistory:
    longer = history.add_user("Hi")
    assert longer.add_assistant("Hello")
    assert longer.with_system("Be kind.")
    _ = history.add_user("on purpose")
    {1, 2}.add(3)
    return longer.add_user("?") if history else longer


def dropped(history: MessageHistory, call: ToolUseBlock) -> None:
    history.add({"role": "user", "content": "Hi"})  # dropped
    history.add_user("Hi")  # dropped
    history.add_user("Hi").add_assistant("Hello")  # dropped
    history.add_tool_result(call, "sunny")  # dropped
    history.with_system(None)  # dropped
    if history:
        history.rewind()  # dropped
    for _ in history:
        history.record_call(call, "started")  # dropped
