"""The pages anyone may read, and the JSON search: a request in, one call each to catalogue and index, a page out."""
