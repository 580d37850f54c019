"""How a book is shown: fields, labels, editions, series, and formats for programs."""
