"""Saved conversations as HTML pages, one file each: nothing is loaded, and nothing in the conversation is run."""

from message_history_pages.changes import changes_page
from message_history_pages.transcript import notebook_html, transcript_page

__all__ = ["changes_page", "notebook_html", "transcript_page"]
