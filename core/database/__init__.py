"""Database techniques for SQLite and PostgreSQL: batches, locks, pacing, ordered reading."""
