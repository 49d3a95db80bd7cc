"""Values that cannot change: JSON, and the log that versions share."""
