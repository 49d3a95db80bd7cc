"""A history in the state of a program: an attrs class by cattrs, and a dataclass by hand.

`python examples/frameworks/attrs_state.py`
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

import attrs
from cattrs.preconf.json import make_converter

from message_history import MessageHistory
from message_history.integrations.cattrs import register
from message_history.integrations.state import load, save


@attrs.frozen
class Task:
    """A state that cattrs writes and reads."""

    title: str
    history: MessageHistory = attrs.field(factory=MessageHistory)


@dataclass
class Job:
    """A state that the standard library writes."""

    title: str
    history: MessageHistory = field(default_factory=MessageHistory)


def main() -> None:
    """Save both, and read them back."""
    converter = make_converter()
    register(converter)
    task = attrs.evolve(Task("weather"), history=MessageHistory().add_user("Weather in Paris?"))
    print(converter.loads(converter.dumps(task), Task) == task)

    job = Job("weather", task.history)
    raw = json.loads(json.dumps(asdict(job), default=save))
    print(Job(raw["title"], load(raw["history"])) == job)


if __name__ == "__main__":
    main()
