"""Suggestions while a reader types."""
