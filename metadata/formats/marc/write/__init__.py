"""Writes MARCXML records."""
