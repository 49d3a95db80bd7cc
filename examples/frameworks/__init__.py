"""Examples of frameworks that a history lives in; none of them needs a key or a network."""
