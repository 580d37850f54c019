"""Interlibrary loan between systems: messages of ISO 18626 are sent and received."""
