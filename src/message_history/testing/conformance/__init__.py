"""The tests that every dialect, format and session must pass, wherever written; with Hypothesis, also what it draws."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(f"{__name__}.dialects", f"{__name__}.formats", f"{__name__}.sessions")

from message_history.testing.conformance.dialects import DialectConformance  # noqa: E402 - once pytest rewrites it
from message_history.testing.conformance.formats import STORY, FormatConformance  # noqa: E402
from message_history.testing.conformance.sessions import SessionConformance  # noqa: E402

__all__ = ["STORY", "DialectConformance", "FormatConformance", "SessionConformance"]
