"""Campaigns: what random input of each kind must never do, a million times; see `docs/reliability.md`."""
