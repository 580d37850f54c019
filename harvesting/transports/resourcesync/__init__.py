"""ResourceSync 1.1: lists, changes, dumps, linking of metadata."""
