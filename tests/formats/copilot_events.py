"""Sessions of Copilot CLI whose events change what others mean, made by hand."""

from __future__ import annotations

from typing import Any, Final

from tests.formats.samples.copilot_cli import COPILOT
from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT

Kind = tuple[str, dict[str, Any]]


def events(*kinds: Kind | tuple[str, dict[str, Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """Make the events of a session, behind the one that starts it."""
    rows = [COPILOT[0]]
    for n, (kind, data, *around) in enumerate(kinds, 1):
        last = rows[-1]["id"]
        stamp = {"id": f"00000000-0000-4000-8000-{n:012}", "timestamp": "2026-01-02T03:04:05.000Z", "parentId": last}
        rows.append({"type": kind, "data": data, **stamp, **(around[0] if around else {})})
    return rows


def user(content: str) -> Kind:
    return "user.message", {"content": content}


def reply(content: str, *calls: str) -> Kind:
    requests = [{"toolCallId": id, "name": "read_file", "arguments": ARGUMENTS} for id in calls]
    return "assistant.message", {"messageId": f"m {content} {calls}", "content": content, "toolRequests": requests}


def done(id: str, content: str = RESULT, **more: Any) -> Kind:
    return "tool.execution_complete", {"toolCallId": id, "success": True, "result": {"content": content}, **more}


ASKED: Final = (user(QUESTION), reply(LOOKING, "c1"))
AROUND: Final = {"agentId": "a1"}
SUMMARY: Final = {"success": True, "preCompactionMessagesLength": 2, "summaryContent": "Files were read."}
EVENTS: Final[dict[str, list[dict[str, Any]]]] = {
    "a call that was never answered, and the session went on": events(*ASKED, user("And?"), reply(ANSWER)),
    "one of two calls answered": events(user(QUESTION), reply(LOOKING, "c1", "c2"), done("c1"), user("And?")),
    "a result that came late": events(*ASKED, user("And?"), done("c1"), reply(ANSWER)),
    "a result of no call": events(user(QUESTION), done("gone"), reply(ANSWER)),
    "a second result": events(*ASKED, done("c1"), done("c1", "another"), reply(ANSWER)),
    "an abort": events(*ASKED, ("abort", {"reason": "user initiated"}), user("And?"), reply(ANSWER)),
    "a session that was resumed": events(
        *ASKED,
        ("session.resume", {"resumeTime": "2026-01-02T03:04:05.000Z", "eventCount": 3}),
        user("And?"),
        reply(ANSWER),
    ),
    "a command of the user": events(
        user(QUESTION),
        ("tool.user_requested", {"toolCallId": "u1", "toolName": "bash", "arguments": {"command": "ls"}}),
        done("u1", isUserRequested=True),
        reply(ANSWER),
    ),
    "a subagent between a call and its result": events(
        *ASKED,
        ("assistant.message", {**reply("I search.", "s1")[1], "parentToolCallId": "c1"}, AROUND),
        (*done("s1", "found", parentToolCallId="c1"), AROUND),
        done("c1"),
        reply(ANSWER),
    ),
    "a compaction while the user wrote": events(
        *ASKED,
        done("c1"),
        reply(ANSWER),
        ("session.compaction_start", {}),
        user("And b.txt?"),
        reply("One line."),
        ("session.compaction_complete", SUMMARY),
        user("Thanks."),
    ),
    "a compaction that failed": events(
        user(QUESTION), reply(ANSWER), ("session.compaction_complete", {"success": False, "error": "x"}), user("And?")
    ),
    "two replies, then two results": events(
        user(QUESTION), reply("", "c1"), reply("And more.", "c2"), done("c1"), done("c2"), reply(ANSWER)
    ),
}
BROKEN: Final = frozenset(list(EVENTS)[:4])
"""Those that the program cannot go on with."""
