"""A page of results: hits, facets, conditions, paging, did you mean."""
