"""What can be read of a conversation, and windows of it."""
