"""The query string of a search as a `Query` and back: fields, values, toggles, OpenURL."""
