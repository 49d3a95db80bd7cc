"""`python -m message_history` is the command `message-history`."""

from __future__ import annotations

from message_history.cli import main

main()
