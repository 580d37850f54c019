"""Writes records as MARCXML."""
