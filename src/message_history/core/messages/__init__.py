"""Blocks, messages, repairs and the policy: each looked at alone."""
