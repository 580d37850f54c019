"""Merged records in the database: books that matching has marked are merged, once however many batches marked them."""
