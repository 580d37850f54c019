"""Checks of JPCOAR records, by the part of the record that they concern."""
