"""Parameters of an address as a query: fields, values, toggles, OpenURL."""
