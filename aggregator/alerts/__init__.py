"""Mail alerts: new books of a search, for readers without an account. The tables are in `models.alerts`."""
