"""The dialect and the format keep what every dialect and every format must keep."""

from __future__ import annotations

from message_history.testing.conformance import DialectConformance, FormatConformance
from message_history_example.tagged import Tagged
from message_history_example.toychat import TOYCHAT


class TestTagged(DialectConformance):
    dialect = Tagged()
    lists = (
        [
            {"speaker": "SYSTEM", "text": "Be brief."},
            {"speaker": "USER", "text": "What is in a.txt?"},
            {"speaker": "AI", "text": "Let me look.", "actions": [{"key": "a1", "do": "read", "with": {"path": "a"}}]},
            {"speaker": "TOOL", "outcomes": [{"key": "a1", "gave": "three lines"}]},
            {"speaker": "AI", "actions": [{"key": "a2", "do": "read", "with": "{}"}]},
            {"speaker": "TOOL", "outcomes": [{"key": "a2", "gave": "one"}], "text": "Go on."},
        ],
    )


class TestToychat(FormatConformance):
    format = TOYCHAT
    sample = b"""\
{"who": "app", "event": "started"}
{"who": "human", "words": "What is in a.txt?"}
{"who": "bot", "words": "Let me look.", "ran": [{"id": "r1", "tool": "read_file", "args": {"path": "a.txt"}}]}
{"who": "tool", "for": "r1", "gave": "three lines"}
{"who": "bot", "words": "It has three lines."}
"""
