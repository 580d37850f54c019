"""Writes MODS records."""
