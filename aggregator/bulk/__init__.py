"""Bulk actions on pairs to review and on libraries, and the table of all bulk actions. See `harvesting.bulk`."""
