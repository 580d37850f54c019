"""The numbers of books: given once, kept through joins and splits, never given to another book."""
