"""Formats of files that no agent goes on with: exports of chats, data sets, traces, printed streams, small programs."""
