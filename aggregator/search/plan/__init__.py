"""What a query asks of an index, in terms that every engine with positions can answer; an engine only translates it."""
