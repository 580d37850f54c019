"""A page of results: hits, facets, conditions, paging, and proposals for searches that found little."""
