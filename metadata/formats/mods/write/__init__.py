"""Writes records as MODS."""
