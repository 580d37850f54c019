"""Shared base of both apps: database, background work, HTTP, commands. Has no tables and no library terms."""
