"""Runnable examples; `strict_server` is a server that they can be tried against."""
