"""What the dialects share of the tools of requests; each has its own in its `tools.py`."""
