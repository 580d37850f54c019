"""Bibliographic records: types, crosswalks, validation, identifiers, text folding.

Pure: no Django, no network, no database.
"""
