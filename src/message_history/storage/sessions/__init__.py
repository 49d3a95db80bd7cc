"""Histories in files, and the session files of other programs."""
