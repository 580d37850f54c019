"""The pages that anyone may read, the interfaces for programs, and the pages of librarians and staff."""
