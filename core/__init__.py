"""What both apps stand on: database, background work, HTTP, commands. Owns no table and no word of librarianship."""
