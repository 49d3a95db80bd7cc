"""What the dialects have in common."""
