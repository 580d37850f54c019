"""Readers have the database file mapped into their memory: another process may make it smaller meanwhile."""

import sqlite3
from contextlib import closing

import pytest
from django.db import connection

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="about SQLite")
ROWS = 2000


def opened(path):
    """A connection of the site."""
    made = sqlite3.connect(path, isolation_level=None)
    made.executescript(connection.settings_dict["OPTIONS"]["init_command"])
    return closing(made)


def read(session):
    return session.execute("SELECT count(*), sum(length(text)) FROM t").fetchone()


def test_a_reader_of_a_mapped_file_does_not_mind_that_it_shrinks(tmp_path):
    path = tmp_path / "some.sqlite3"
    with opened(path) as writer, opened(path) as reader:
        writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)")
        writer.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 1000) for n in range(ROWS)])
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        large = path.stat().st_size
        assert reader.execute("PRAGMA mmap_size").fetchone()[0] >= large
        assert read(reader) == (ROWS, ROWS * 1000)
        writer.execute("DELETE FROM t WHERE n >= 10")
        writer.execute("VACUUM")
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert path.stat().st_size < large / 10
        assert read(reader) == (10, 10_000)
        writer.executemany("INSERT INTO t VALUES (?, ?)", [(n, "y" * 1000) for n in range(10, ROWS)])
        assert read(reader) == (ROWS, ROWS * 1000)
