"""Trials for librarians: self-test of records, link templates, expected matches."""
