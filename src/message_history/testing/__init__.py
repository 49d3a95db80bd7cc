"""The tests that every dialect and every format passes, for those that are written elsewhere: `conformance`."""
