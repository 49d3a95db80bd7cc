"""The value below the public history: blocks, messages, rules, repairs."""
