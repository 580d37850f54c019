"""Guarded HTTP requests: every request to an address that a provider or a person supplied goes through this package."""
