"""What a document looks like in an index: its fields and terms, the same in every engine."""
