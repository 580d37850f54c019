"""From stored records to books: records are claimed, compared with those they might match, and grouped."""
