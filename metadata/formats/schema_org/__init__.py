"""schema.org as JSON-LD, for search engines; written only."""
