"""Texts of messages and their delivery by mail and webhook."""
