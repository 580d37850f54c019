"""The cover that stands for a book: drawn from its record, or the picture that its record names."""
