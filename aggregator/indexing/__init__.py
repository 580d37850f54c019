"""The search index: build, ledger of what is due, state."""
