"""Conversations in files: damaged JSON, containers, folders."""
