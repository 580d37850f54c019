"""Tools for SQLite and PostgreSQL: batches, locks, pacing, reading in the order of ids."""
