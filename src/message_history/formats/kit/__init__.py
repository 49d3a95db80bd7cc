"""What a format is made of: a document, a collector, blocks, and rows that are written again."""
