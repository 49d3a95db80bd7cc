"""Measure a template in a separate process with limited time and memory: templates are other people's programs."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, final

from attrs import frozen

from message_history.dialects import OpenAIChat
from message_history.dialects.openai_chat.providers import HOSTS
from message_history_measure.sandbox import TemplateRefusedError
from message_history_measure.sources import read_template

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


SECONDS: Final = 20
"""How much of a processor's time one template may take; real ones take a tenth of a second."""
CLOCK: Final = 10
"""How many times as long it may take by the clock: other programs may have the processor meanwhile."""
MEGABYTES: Final = 512
"""How much memory its process may have, where the system limits that."""


@final
class TooCostlyError(ValueError):
    """A template that took more time or memory than it may."""


@final
@frozen(kw_only=True)
class Measurement:
    """What was measured of a template.

    Args:
        dialect: the dialect whose lists the template shows as far as it can.
        losses: what it shows in no arrangement, in words.
        arguments: whether the template takes the arguments of calls as objects, as vLLM and transformers give them, or
            as text, as the list has them.
        sha256: the hash of the template's text.
        row: the fields in the form of a row of `models.toml`.
    """

    dialect: OpenAIChat
    losses: tuple[str, ...]
    arguments: Literal["object", "text"]
    sha256: str
    row: Mapping[str, Any]


def measure_template(template: str | PathLike[str] | Mapping[str, Any]) -> Measurement:
    """Measure a chat template.

    Args:
        template: its text; a tokenizer's folder; a file `chat_template.jinja`, `tokenizer_config.json` or GGUF; or what
            llama.cpp's `/props` gives.

    Returns:
        What was measured.

    Raises:
        FileNotFoundError: when there is no template.
        TemplateRefusedError: when it is not a template, or shows not even a user message.
        TooCostlyError: when it took more than 20 seconds or 512 MB.

    Complexity: some hundred small renderings; a template is measured once.
    """
    return _measured(*read_template(template))


@lru_cache(maxsize=64)
def _measured(source: str, tokens: tuple[tuple[str, str], ...]) -> Measurement:
    asked = {"source": source, "tokens": dict(tokens), "seconds": SECONDS, "megabytes": MEGABYTES}
    found = _in_a_process(json.dumps(asked))
    return Measurement(
        dialect=OpenAIChat(**HOSTS.fields_of(found["row"])),
        losses=tuple(found["losses"]),
        arguments=found["arguments"],
        sha256=hashlib.sha256(source.encode()).hexdigest(),
        row=found["row"],
    )


def _in_a_process(asked: str) -> dict[str, Any]:
    command = [sys.executable, "-c", "from message_history_measure.measuring import main; main()"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(  # noqa: S603 - this Python
            command, input=asked, capture_output=True, check=False, encoding="utf-8", env=paths, timeout=SECONDS * CLOCK
        )
    except subprocess.TimeoutExpired:
        raise TooCostlyError(f"the template took more than {SECONDS * CLOCK} seconds by the clock") from None
    if done.returncode == -getattr(signal, "SIGXCPU", 0) != 0:
        raise TooCostlyError(f"the template took more than {SECONDS} seconds")
    if done.returncode or not done.stdout:
        last = done.stderr.strip().rpartition("\n")[2]
        raise TooCostlyError(f"the template took more than {MEGABYTES} MB, or broke what renders it: {last}")
    found: dict[str, Any] = json.loads(done.stdout)
    if "refused" in found:
        raise TemplateRefusedError(found["refused"])
    return found
