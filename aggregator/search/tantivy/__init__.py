"""The embedded search engine."""
