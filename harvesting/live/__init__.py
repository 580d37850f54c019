"""Live search: what catalogues that are asked while a reader waits can take, and what they answer. No Django, no network."""
