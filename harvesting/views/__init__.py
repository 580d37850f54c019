"""The pages of harvesting outside the admin, a module for each noun: a request in, a page out."""
