"""Pushing records: the interface for programs, and the page where librarians make tokens and see what arrived."""
