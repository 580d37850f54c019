"""Finding and mending the records of pages that are not well-formed."""
