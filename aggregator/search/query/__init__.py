"""A reader's typed text as a query: words, spellings, similarity, limits."""
