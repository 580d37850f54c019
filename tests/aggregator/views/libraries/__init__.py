"""Pages about libraries."""
