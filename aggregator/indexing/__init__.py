"""Building and updating the search index, the ledger of what it contains, and its state."""
