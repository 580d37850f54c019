"""Pages about libraries: the public ones, and those of librarians and staff."""
