"""The guarded fetch: every request to an address that a provider or a person gave goes through here."""
