"""The rules, and what carries them out."""
