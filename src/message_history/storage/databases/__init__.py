"""Histories in databases that many processes share."""
