"""Records as JSON and as rows of a table, for files that librarians upload."""
