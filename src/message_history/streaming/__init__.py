"""Streamed replies: what has come of one, at any moment, as a valid history."""

from __future__ import annotations

from message_history.streaming.accumulator import Accumulator

__all__ = ["Accumulator"]
