"""Checks of junii2 records."""
