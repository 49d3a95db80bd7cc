"""Thin adapters to engines, one file for each: an engine that you have runs the work on as many machines as it has."""
