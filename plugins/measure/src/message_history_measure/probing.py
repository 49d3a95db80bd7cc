"""Probe an endpoint: what does it refuse of a history?"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from message_history import check
from message_history.dialects import OpenAIChat
from message_history.dialects.openai_chat.providers import HOSTS
from message_history_measure.asking import Asking, history_of
from message_history_measure.endpoints import APIS, ApiName, Endpoint, ProbeError
from message_history_measure.probes import calls, planted, result, says, step, system, user
from message_history_measure.questions import PARTS, QUESTIONS, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history.dialects.base import Dialect, Export
    from message_history_measure.probes import Entry


def _repeat(which: str) -> Entry:
    return {"role": "user", "content": f"Repeat the last word {which}, and say nothing else."}


_HELLO: Final = Question("a user message", ([user()],), ({},))
_TURNS: Final = (
    Question("turns", ([user(), says(), user(2)],), ({},)),
    Question("a system prompt", ([system(), user()],), ({},)),
    Question("calls in parallel, with text", ([user(), *step(1, 2, text=1)],), ({},)),
    Question("calls step by step", ([user(), *step(1), *step(2), says(), user(2)],), ({},)),
    Question("a user message after results", ([user(), *step(1), user(2)],), ({},)),
    Question("an empty result", ([user(), calls(1), {**result(1), "content": ""}],), ({},)),
    Question("the assistant last", ([user(), says()],), ({"prefill": True}, {"prefill": False})),
)
_FIRST: Final = Question(
    "the assistant first", ([says(), user()],), ({"leading_assistant": True}, {"leading_assistant": False})
)
_LATER: Final = Question(
    "later system messages",
    ([user(), says(), system(), user(2)],),
    ({"system_in_list": True}, {"system_in_list": False}),
)
_UNSIGNED: Final = Question(
    "calls without a signature", ([user(), *step(1)],), ({"signatures_required": False}, {"signatures_required": True})
)
ASKED: Final[Mapping[ApiName, tuple[Question, ...]]] = {
    "chat": (_HELLO, *(question for question in QUESTIONS if question is not PARTS), PARTS),
    "responses": (_HELLO, *_TURNS, _FIRST),
    "anthropic": (_HELLO, *_TURNS, _FIRST, _LATER),
    "gemini": (_HELLO, *_TURNS, _UNSIGNED),
}
BROKEN: Final[Mapping[str, list[Entry]]] = {
    "no messages": [],
    "a call without a result": [user(), calls(1), user(2)],
    "a result without a call": [user(), result(1)],
    "a result of another call": [user(), calls(1), result(2)],
    "two results of one call": [user(), calls(1), result(1), result(1)],
    "one id twice in a message": [user(), calls(1, 1), result(1), result(1)],
    "one id in two messages": [user(), *step(1), *step(1)],
    "a blank text": [{**user(), "content": " "}],
    "an empty user message": [{**user(), "content": ""}],
    "null content without calls": [user(), {"role": "assistant", "content": None}, user(2)],
    "an unknown role": [user(), {"role": "somebody", "content": "x"}],
    "arguments that are not JSON": [user(), *step(1)],
    "a name with a space": [user(), *step(1)],
    "a developer": [{"role": "developer", "content": "x"}, user()],
}
"""Broken lists of Chat Completions; each is sent as it is."""
BROKEN["arguments that are not JSON"][1]["tool_calls"][0]["function"]["arguments"] = '{"city": "a'
BROKEN["a name with a space"][1]["tool_calls"][0]["function"]["name"] = "look up"
_LOOK_UP: Final = {"role": "user", "content": "Look the city up."}
REPEATED: Final[Mapping[str, tuple[str, list[Entry]]]] = {
    "a system prompt": (planted("system"), [system(), _repeat("in your instructions")]),
    "an earlier message": (planted("user"), [user(), {"role": "assistant", "content": "OK."}, _repeat("that I said")]),
    "text beside a call": (planted("text"), [_LOOK_UP, *step(1, text=1), _repeat("that you said before the call")]),
    "a result": (planted("result"), [_LOOK_UP, *step(1), _repeat("that the tool gave")]),
}
"""Words that the model is asked to repeat, each planted at one place of a list."""
LENGTH: Final = 64
"""How many tokens an answer with such a word has at most."""
TOKENS: Final = 120
"""About how many tokens a request has."""


def most_requests(api: ApiName) -> int:
    """Count the requests that are sent at most."""
    asked = sum(len(question.lists) * (1 if question.as_is else len(question.arrangements)) for question in ASKED[api])
    return asked + (len(BROKEN) if api == "chat" else 0) + len(REPEATED)


@final
class Probe(Asking):
    """One endpoint under examination.

    Args:
        api: which API it speaks.
        endpoint: the endpoint.
        quoted: for Chat Completions, whose rules are quoted.

    Attributes:
        refused: what was refused: what was asked, in which words, and which of our rules say so.
        taken: the broken lists that were taken all the same.
        repeated: whether the model repeated a planted word when it was asked to: a hint, and no fact.
        unasked: what was not asked, and why.
    """

    def __init__(self, api: ApiName, endpoint: Endpoint, quoted: str = "openai") -> None:
        fields = {"provider": quoted, "null_content": "empty"} if api == "chat" else {}
        super().__init__({"like": ["others"], "fields": fields} if api == "chat" else {"fields": fields})
        self._api: ApiName = api
        self._endpoint = endpoint
        self._asks = ""
        self.refused: dict[str, dict[str, Any]] = {}
        self.taken: list[str] = []
        self.repeated: dict[str, bool] = {}
        self.unasked = ""

    def dialect(self, row: Mapping[str, Any]) -> Dialect[Any]:
        """Return the dialect with the fields of a row."""
        return dialect_of(self._api, row)

    def missing(self, raw: Sequence[Entry], export: Export | None) -> list[str]:
        """Say in which words a list was refused."""
        wire = raw if export is None else export.messages
        answer = self._endpoint.ask(wire, None if export is None else export.system)
        if answer.taken:
            return []
        rules = sorted({found.rule for found in check(wire, self.dialect({**self.row, "fields": {}}))})
        entry = {"asks": self._asks, "status": answer.status, "words": answer.words, "rules": rules}
        self.refused.setdefault(json.dumps(wire), entry)
        return [answer.words]

    def run(self, progress: Callable[[str], object]) -> None:
        """Ask everything; what was found stays where the budget ends.

        Raises:
            ProbeError: when not even a user message is taken, or the server stops to answer.
        """
        steps: list[tuple[str, Callable[[], object]]] = [
            *((question.asks, partial(self._ask, question)) for question in ASKED[self._api]),
            *((asks, partial(self._send_broken, raw)) for asks, raw in BROKEN.items() if self._api == "chat"),
            *((f"whether the model repeats {asks}", partial(self._have_repeated, asks)) for asks in REPEATED),
        ]
        for self._asks, send in steps:
            progress(self._asks)
            try:
                send()
            except ProbeError as error:
                if self._asks == _HELLO.asks or self._endpoint.requests == 0:
                    raise
                self.unasked = f"{self._asks}, and all after it: {error}"
                return

    def _ask(self, question: Question) -> None:
        self.ask(question)
        if question is _HELLO and self.losses:
            raise ProbeError(f"not even a user message is taken: {self.losses[0].partition(': ')[2]}")

    def _send_broken(self, raw: Sequence[Entry]) -> None:
        if not self.missing(raw, None):
            self.taken.append(self._asks)

    def _have_repeated(self, asks: str) -> None:
        word, raw = REPEATED[asks]
        export = history_of(json.dumps(raw)).export(self.dialect(self.row))
        answer = self._endpoint.ask(export.messages, export.system, LENGTH)
        self.repeated[asks] = answer.taken and word in answer.words


def dialect_of(api: ApiName, row: Mapping[str, Any]) -> Dialect[Any]:
    """Return the dialect with the fields of a row."""
    if api == "chat":
        return OpenAIChat(**HOSTS.fields_of(row))
    return APIS[api].dialect(**row["fields"])


def written(probe: Probe, head: Mapping[str, Any]) -> str:
    """Write what was found as TOML."""
    lines = ["# Written by `message-history probe`: what an endpoint takes, as it answered on this date."]
    row = {**head, **probe.row}
    lines += [f"{key} = {_toml(value)}" for key, value in row.items() if key != "fields" and value]
    if probe.unasked:
        lines.append(f"unasked = {_toml(probe.unasked)}")
    lines += [f"losses = {_toml(probe.losses)}", f"taken = {_toml(probe.taken)}", "", "[fields]"]
    lines += [f"{key} = {_toml(value)}" for key, value in probe.fields.items()]
    if probe.repeated:
        lines += ["", "# What the model repeated when it was asked to: a hint, and no fact.", "[repeated]"]
        lines += [f"{_toml(asks)} = {_toml(found)}" for asks, found in probe.repeated.items()]
    for entry in probe.refused.values():
        lines += ["", "[[refused]]", *(f"{key} = {_toml(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # TOML has the escapes of JSON except this one, and no halves of characters.
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return text.encode(errors="replace").decode()


_PRIVATE: Final = re.compile(
    r"\b(?:(?:sk|org|proj|req|acct|user|key|pk|chatcmpl|msg|resp)[-_][\w-]{6,}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{24,}"
    r"|(?:\d{1,3}\.){3}\d{1,3}|[\w.+-]+@[\w-]+\.[\w.]+|AIza[\w-]{20,})|https?://\S+"
    r"|/(?:home|root|Users|mnt|data)/\S+|(?<=[\"'(])(?:/[\w.+-]+){3,}|\b[A-Z]:\\[^\s\"']+"
)
"""What in the words of a server may say whose account or machine it is."""


def scrubbed(text: str, *secrets: str) -> str:
    """Take out of a report whatever may be private."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "[left out]")
    return _PRIVATE.sub("[left out]", text)
