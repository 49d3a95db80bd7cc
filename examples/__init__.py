"""Runnable examples; `message_history_testing` is a server that they can be tried against."""
