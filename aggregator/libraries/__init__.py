"""Libraries and what they hold: which library an item belongs to, and the holdings of a book."""
