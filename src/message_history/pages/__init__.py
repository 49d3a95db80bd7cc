"""Saved conversations as HTML pages, one file each: nothing is loaded, and nothing in the conversation is run."""

from message_history.pages.changes import changes_page
from message_history.pages.transcript import transcript_page

__all__ = ["changes_page", "transcript_page"]
