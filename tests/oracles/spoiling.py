"""Lists with a wrong value somewhere deep inside."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from message_history.integrations.strategies import json_values

__all__ = ["spoil"]


def spoil(data: st.DataObject, raw: list[Any]) -> None:
    """Put another value somewhere into a list, or take one out."""
    place: Any = data.draw(st.sampled_from(raw))
    for _ in range(data.draw(st.integers(1, 5))):
        keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            if isinstance(place, dict) and data.draw(st.integers(0, 3)) == 0:
                del place[key]
            else:
                place[key] = data.draw(json_values())
            return
        place = place[key]
