"""Conversion and validation of stored payloads again, after a crosswalk or rule has changed."""
