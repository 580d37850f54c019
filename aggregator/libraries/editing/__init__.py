"""What librarians and staff do with libraries: fields, codes, merging and questions."""
