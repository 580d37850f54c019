"""Django's SQLite backend with a queue of writers: the ENGINE of the default database."""
