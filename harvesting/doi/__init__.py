"""DOIs that records ask for: who claims them, whether they can be registered, and what was handed over."""
