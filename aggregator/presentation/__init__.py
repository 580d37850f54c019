"""How a book is shown: fields, labels, editions, series, representations."""
