"""Django's SQLite, whose writers stand in a queue: the ENGINE of the default database."""
