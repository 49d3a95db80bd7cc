from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, value


def message(n: int, kind: str, **keys: Any) -> dict[str, Any]:
    return {"type": f"{kind}Message", "id": f"m{n}", "createdAt": f"2026-11-01T00:00:0{n}Z", **keys}


COPILOTKIT = [
    message(1, "Text", role="user", content=QUESTION),
    message(2, "AgentState", role="assistant", agentName="a", state={"step": 1}, running=True),
    message(3, "Text", role="assistant", content=LOOKING),
    message(4, "ActionExecution", name="read_file", arguments=ARGUMENTS, parentMessageId="m3"),
    message(5, "Result", actionExecutionId="m4", actionName="read_file", result=RESULT),
    message(6, "Text", role="assistant", content=ANSWER),
]


def sent(each: dict[str, Any]) -> dict[str, Any]:
    """Write a message as a frontend sends it."""
    kind = f"{each['type'][0].lower()}{each['type'][1:]}"
    body = {key: item for key, item in each.items() if key not in ("type", "id", "createdAt")}
    written = {"arguments": TEXT_ARGUMENTS} if "arguments" in body else {}
    return {"id": each["id"], "createdAt": each["createdAt"], kind: {**body, **written}}


def untyped(each: dict[str, Any]) -> dict[str, Any]:
    """Write a message as Python has it."""
    return {key: item for key, item in each.items() if key != "type"}


def received(each: dict[str, Any]) -> dict[str, Any]:
    """Write a message as the runtime answers with it: in pieces."""
    pieces = {"content": [each["content"]]} if "content" in each else {}
    pieces |= {"arguments": [TEXT_ARGUMENTS[:3], TEXT_ARGUMENTS[3:]]} if "arguments" in each else {}
    return {**untyped(each), "__typename": f"{each['type']}Output", **pieces}


SAMPLES = (
    Sample("copilotkit", value(COPILOTKIT)),
    Sample("copilotkit", value({"threadId": "t", "messages": list(map(sent, COPILOTKIT))})),
    Sample("copilotkit", value(list(map(received, COPILOTKIT)))),
    Sample("copilotkit", value([untyped(each) for each in COPILOTKIT if "state" not in each])),
)
