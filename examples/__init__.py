"""Runnable examples; `message_history.testing` is a server that they can be tried against."""
