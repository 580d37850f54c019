"""The merged catalogue as pages and interfaces read it."""
