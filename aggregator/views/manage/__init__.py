"""The pages of librarians and staff about providers, records and matches."""
