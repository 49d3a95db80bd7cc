"""The formats that programs keep conversations in: one small file each, and a registry of all of them."""
