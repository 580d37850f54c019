"""MARC 21 as MARCXML."""
