"""schema.org as JSON-LD, for search engines. Written but not read."""
