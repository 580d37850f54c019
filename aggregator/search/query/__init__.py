"""What a reader typed, as a query: words, spellings, nearness, limits."""
