"""Pages about harvests: list, progress, actions, files."""
