"""What the examples of the pages meet: the strict server, and `anthropic` where that SDK is not installed."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["providers"]


class _Anthropic:
    """A client of the Messages API that sends what it is given as it is, and gives the reply's dict."""

    def __init__(self) -> None:
        self.messages = SimpleNamespace(create=self._create)

    def _create(self, **body: Any) -> Any:
        request = Request(  # noqa: S310 - the address is the strict server's
            f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages", json.dumps(body).encode(), {"x-api-key": "none"}
        )
        with urlopen(request) as reply:  # noqa: S310 - as above
            return json.load(reply)


@contextlib.contextmanager
def providers() -> Iterator[None]:
    """Serve all providers to the SDKs, from this machine and without a key."""
    from message_history_testing import StrictServer, weather  # noqa: PLC0415 - the pages without an SDK do without

    modules = {}
    if find_spec("anthropic") is None:
        modules["anthropic"] = ModuleType("anthropic")
        vars(modules["anthropic"])["Anthropic"] = _Anthropic
    with StrictServer(weather) as server, patch.dict(os.environ, server.environment), patch.dict(sys.modules, modules):
        yield
        if server.refusals:
            raise ValueError(f"a request of an example is refused: {server.refusals[0]}")
