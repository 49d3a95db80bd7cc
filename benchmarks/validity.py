"""What contenders send for broken histories: whether it is valid, and whether anything is lost or rewritten."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from benchmarks.broken_histories import CASES, text_of, user_texts
from benchmarks.contenders.base import Contender, EncodingAgent
from benchmarks.judge import JUDGES, STRICT, lost
from benchmarks.short_histories import SHORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchmarks.transcripts import Raw

__all__ = ["RUNS", "agent_run", "judged", "owed_results"]

RUNS: Final = 500


def judged(contender: type[Contender], *, quick: bool) -> dict[str, Any]:
    """Judge what a contender sends.

    Args:
        contender: the contender.
        quick: whether a tenth of the short histories and of the runs will do.

    Returns:
        What was found for the 18 broken histories, the short histories and the agent runs, as plain JSON; nothing
        for a contender that sends nothing.
    """
    if contender.sent is Contender.sent:
        return {}
    return {
        "form": contender.form,
        "broken": _of_lists(contender, {case.name: case.messages for case in CASES}.items()),
        "short": _of_lists(contender, enumerate(SHORT[:: 10 if quick else 1])),
        "runs": _of_runs(contender, RUNS // 10 if quick else RUNS),
    }


def _of_lists(contender: type[Contender], lists: Iterable[tuple[object, Raw]]) -> dict[str, Any]:
    names = ("lists", "valid", "strict", "whole", "refused", "lost_results", "lost_texts")
    found: dict[str, Any] = dict.fromkeys(names, 0)
    failed = []
    for name, raw in lists:
        found["lists"] += 1
        wire = _sent(contender, raw)
        valid = wire is not None and JUDGES[contender.form](wire)
        results, texts = lost(owed_results(raw), wire or []), lost(user_texts(raw), wire or [])
        found["refused"] += wire is None
        found["valid"] += valid
        found["strict"] += wire is not None and STRICT[contender.form](wire)
        found["whole"] += valid and not results and not texts
        found["lost_results"] += results
        found["lost_texts"] += texts
        if isinstance(name, str) and (not valid or results or texts):
            failed.append(name)
    return {**found, "failed": failed}


def _sent(contender: type[Contender], raw: Raw) -> list[Any] | None:
    try:
        return contender.sent(raw)
    except Exception:  # noqa: BLE001  what refuses a list sends nothing, whatever it raises
        return None


def owed_results(raw: Raw) -> list[str]:
    """Give the texts of the results that must be sent, in order.

    Args:
        raw: a list of the Messages API's form.

    Returns:
        The results that a call before them has the id of; and those that come before their call, when no result
        behind it answers it.
    """
    places: dict[str, tuple[list[int], list[int]]] = {}
    results: list[tuple[str, int, str]] = []
    for place, block in enumerate(block for message in raw for block in message["content"]):
        if block["type"] == "tool_use":
            places.setdefault(block["id"], ([], []))[0].append(place)
        elif block["type"] == "tool_result":
            places.setdefault(block["tool_use_id"], ([], []))[1].append(place)
            results.append((block["tool_use_id"], place, text_of(block)))
    owed = []
    for id, place, text in results:
        calls, answers = places[id]
        behind = sum(answer > calls[0] for answer in answers) if calls else 0
        if calls and (calls[0] < place or (place == answers[0] and not behind)):
            owed.append(text)
    return owed


def agent_run(seed: int) -> Iterator[dict[str, Any] | None]:
    """Simulate an agent: its user steers while tools run, and some results come late or never.

    Args:
        seed: which run; equal seeds give equal runs.

    Yields:
        The messages as they come, in the Messages API's form, and None where the conversation is sent.
    """
    chance = random.Random(seed)
    number = 0
    late: list[dict[str, Any]] = []
    for _ in range(chance.randint(2, 4)):
        number += 1
        yield _user(*late, {"type": "text", "text": f"Question {number}."})
        late = []
        for _ in range(chance.randint(1, 3)):
            yield None
            number += 1
            calls = [_call(f"toolu_{number}_{n}") for n in range(chance.randint(1, 2))]
            yield {"role": "assistant", "content": [{"type": "text", "text": f"I look at {number}."}, *calls]}
            results = [_result(call["id"]) for call in calls]
            on_time = [result for result in results if chance.random() < 0.85]
            behind = [result for result in results if result not in on_time and chance.random() < 0.75]
            steering = {"type": "text", "text": f"And mind {number}."} if chance.random() < 0.2 else None
            if steering and chance.random() < 0.5:
                yield _user(steering)
                steering = None
            for result in [*late, *on_time]:
                yield _user(result)
            late = behind
            if steering or not on_time:
                yield _user(steering or {"type": "text", "text": f"Go on from {number}."})
        yield None
        number += 1
        yield {"role": "assistant", "content": [{"type": "text", "text": f"Answer {number}."}]}
    yield _user(*late, {"type": "text", "text": "Thank you."})
    yield None


def _user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _call(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "look", "input": {"at": id}}


def _result(id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": f"What {id} found."}


def _of_runs(contender: type[Contender], runs: int) -> dict[str, Any]:
    names = ("runs", "sends", "valid", "strict", "refused", "rewritten", "rewritten_json", "lost_results", "lost_texts")
    found: dict[str, Any] = dict.fromkeys(names, 0)
    for seed in range(runs):
        found["runs"] += 1
        agent, messages = contender.agent(contender), list[dict[str, Any]]()
        before: list[Any] | None = None
        encoded: list[bytes] = []
        for message in agent_run(seed):
            if message is not None:
                messages.append(message)
                agent.add(message)
                continue
            found["sends"] += 1
            try:
                wire = agent.send()
            except Exception:  # noqa: BLE001  what refuses its list sends nothing, whatever it raises
                found["refused"] += 1
                continue
            found["valid"] += JUDGES[contender.form](wire)
            found["strict"] += STRICT[contender.form](wire)
            found["rewritten"] += before is not None and wire[: len(before)] != before
            before = wire
            if isinstance(agent, EncodingAgent):
                encoded.append(agent.send_json())
        found["rewritten_json"] += sum(not now.startswith(sent[:-1]) for sent, now in pairwise(encoded))
        found["lost_results"] += lost(owed_results(messages), before or [])
        found["lost_texts"] += lost(user_texts(messages), before or [])
    return found
