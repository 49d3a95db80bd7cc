"""Requests to the APIs, one answer at a time: was the list taken, or refused, or was it something else?"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, final

from message_history.dialects import Anthropic, Gemini, OpenAIChat, OpenAIResponses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history.dialects.base import Dialect

Body = dict[str, Any]
ApiName = Literal["chat", "responses", "anthropic", "gemini"]
TRIES: Final = 4
_LONGEST_WAIT: Final = 60.0
_REFUSES_LISTS: Final = frozenset({400, 422, 500})
"""The statuses with which servers refuse a list; a template that raises is a 500 to some of them."""
_VERSIONS: Final = ("server", "x-powered-by", "openai-version", "anthropic-version", "x-litellm-version", "via")
"""The headers that say what a server is, and nothing of an account."""


class Answer(NamedTuple):
    """What came back: whether the list was taken, the status, and the server's own words."""

    taken: bool
    status: int
    words: str


@final
class ProbeError(Exception):
    """The server cannot be probed, and not for any list: a wrong key, an unknown model, no budget left."""


class Api(NamedTuple):
    """How an API is asked; `path` has a place for the model, and `body` gets the most tokens of the answer."""

    dialect: type[Dialect[Any]]
    path: str
    headers: Callable[[str], dict[str, str]]
    body: Callable[[Sequence[Any], Any, int], Body]


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


_SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}}
_TOOL: Final = {"name": "lookup", "description": "Looks a city up."}


def _chat(wire: Sequence[Any], system: Any, length: int) -> Body:
    del system  # It is in the list.
    tools = [{"type": "function", "function": {**_TOOL, "parameters": _SCHEMA}}]
    return {"messages": wire, "max_tokens": length, "tools": tools}


def _responses(wire: Sequence[Any], system: Any, length: int) -> Body:
    tools = [{"type": "function", **_TOOL, "parameters": _SCHEMA}]
    body = {"input": wire, "max_output_tokens": max(length, 16), "tools": tools}
    return {**body, **({"instructions": system} if system else {})}


def _anthropic(wire: Sequence[Any], system: Any, length: int) -> Body:
    tools = [{**_TOOL, "input_schema": _SCHEMA}]
    return {"messages": wire, "max_tokens": length, "tools": tools, **({"system": system} if system else {})}


def _gemini(wire: Sequence[Any], system: Any, length: int) -> Body:
    tools = [{"functionDeclarations": [{**_TOOL, "parameters": _SCHEMA}]}]
    body = {"contents": wire, "generationConfig": {"maxOutputTokens": length}, "tools": tools}
    return {**body, **({"systemInstruction": system} if system else {})}


APIS: Final[Mapping[ApiName, Api]] = {
    "chat": Api(OpenAIChat, "/chat/completions", _bearer, _chat),
    "responses": Api(OpenAIResponses, "/responses", _bearer, _responses),
    "anthropic": Api(
        Anthropic, "/v1/messages", lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"}, _anthropic
    ),
    "gemini": Api(Gemini, "/v1beta/models/{model}:generateContent", lambda key: {"x-goog-api-key": key}, _gemini),
}


@final
class Endpoint:
    """One model at one address, which is asked a limited number of times.

    Args:
        api: how it is asked.
        base_url: where it is.
        model: the model's name.
        key: the key; it is sent, and is written nowhere.
        budget: how many requests may be sent.
        wait: waits, before another try.

    Attributes:
        requests: how many requests were sent.
        versions: what the server says of itself.
    """

    def __init__(
        self,
        api: Api,
        base_url: str,
        *,
        model: str,
        key: str = "",
        budget: int,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ProbeError(f"{base_url!r} is not an address; it begins with http:// or https://")
        path = api.path.format(model=model)
        self._url = base_url.rstrip("/").removesuffix("/v1" if path.startswith("/v1/") else "\0") + path
        self._api, self._model, self._budget, self._wait = api, model, budget, wait
        self._headers = {"Content-Type": "application/json", **(api.headers(key) if key else {})}
        self._answers: dict[str, Answer] = {}
        self.requests = 0
        self.versions: dict[str, str] = {}

    def ask(self, wire: Sequence[Any], system: Any = None, length: int = 1) -> Answer:
        """Send a list, for an answer of a token or of `length`; one that was sent before is not sent again.

        Raises:
            ProbeError: when the refusal is of no list, or nothing may be sent any more.
        """
        data = json.dumps({"model": self._model, **self._api.body(wire, system, length)})
        if data not in self._answers:
            self._answers[data] = self._asked(data.encode())
        return self._answers[data]

    def _asked(self, data: bytes) -> Answer:
        for tries in range(1, TRIES + 1):
            status, headers, words = self._sent(data)
            self.versions |= {name: headers[name] for name in _VERSIONS if name in headers}
            # Some servers answer 500 when a template raises: once more will do.
            if tries == TRIES or (status != 429 and (status < 500 or (status == 500 and tries > 1))):
                break
            self._wait(_seconds(headers.get("retry-after", ""), tries))
        if status >= 300 and status not in _REFUSES_LISTS:
            raise ProbeError(f"{status}, which is not a refusal of a list: {words:.500}")
        return Answer(status < 300, status, words)

    def _sent(self, data: bytes) -> tuple[int, dict[str, str], str]:
        if self.requests >= self._budget:
            raise ProbeError(f"the budget of {self._budget} requests is spent")
        self.requests += 1
        request = urllib.request.Request(self._url, data, self._headers)  # noqa: S310 - http or https
        try:
            with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310
                return response.status, _lower(response.headers), response.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, _lower(error.headers), _words(error.read().decode(errors="replace"))
        except OSError as error:
            raise ProbeError(f"{self._url} cannot be reached: {error}") from error


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _seconds(after: str, tries: int) -> float:
    return min(float(after) if after.replace(".", "", 1).isdigit() else 2.0**tries, _LONGEST_WAIT)


def _words(text: str) -> str:
    """Return the server's words, wherever its JSON has them."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    found = found[0] if isinstance(found, list) and found else found
    error = found.get("error", found) if isinstance(found, dict) else found
    message = (error.get("message") or error.get("detail")) if isinstance(error, dict) else error
    return message if isinstance(message, str) else text
