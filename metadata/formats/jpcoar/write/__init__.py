"""Writes JPCOAR records."""
