"""A dialect and a format of files, found by message-history through entry points."""
