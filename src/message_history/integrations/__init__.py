"""Where agents live: one short file each, with its third-party import inside."""
