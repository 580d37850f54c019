"""What librarians and staff do with libraries."""
