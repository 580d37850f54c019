"""The write-ahead log of SQLite, while somebody always reads: it grows, and is cut off."""

import sqlite3
from pathlib import Path

import pytest

from core.database.sqlite import wal as log
from core.database.sqlite.base import DatabaseWrapper
from core.database.sqlite.wal import shorten_log

pytestmark = pytest.mark.django_db
SETTINGS = {"ENGINE": "core.database.sqlite", "TIME_ZONE": None, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}
SETTINGS |= {"AUTOCOMMIT": True, "USER": "", "HOST": ""}
SETTINGS["OPTIONS"] = {"timeout": 7, "init_command": "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=10"}
ROW = "x" * 1000


class Busy:
    """A database in a file, and two readers who take turns, so that somebody always reads."""

    def __init__(self, path: Path) -> None:
        self.connection = DatabaseWrapper(SETTINGS | {"NAME": str(path)})
        self.write("CREATE TABLE rows (text)")
        self.readers = [sqlite3.connect(path, isolation_level=None) for _each in range(2)]
        self.log = path.with_name(f"{path.name}-wal")

    def write(self, statement: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(statement)

    def begin(self, which: int) -> None:
        self.readers[which].execute("BEGIN")
        self.readers[which].execute("SELECT count(*) FROM rows").fetchone()

    def grow(self) -> None:
        self.begin(0)
        for turn in range(1, 40):
            self.write(f"INSERT INTO rows VALUES ('{ROW}')")
            self.begin(turn % 2)
            self.readers[(turn + 1) % 2].execute("COMMIT")

    def count(self) -> int:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM rows")
            return cursor.fetchone()[0]

    def close(self) -> None:
        self.connection.close()
        for each in self.readers:
            each.close()


@pytest.fixture
def busy(tmp_path, monkeypatch):
    made = Busy(tmp_path / "some.sqlite3")
    monkeypatch.setattr(log, "connections", {"default": made.connection})
    monkeypatch.setattr(log, "LONG", 60_000)
    monkeypatch.setattr(log, "PATIENCE", 50)
    yield made
    made.close()


def test_it_grows_while_somebody_always_reads_and_is_cut_off(busy):
    busy.grow()
    long = busy.log.stat().st_size
    busy.readers[1].execute("COMMIT")
    assert long > log.LONG
    assert shorten_log()
    assert busy.log.stat().st_size == 0
    assert busy.count() == 39
    assert not shorten_log()


def test_a_long_reader_is_not_waited_for_and_others_can_write(busy):
    busy.grow()
    before = busy.log.stat().st_size
    assert not shorten_log()
    assert busy.log.stat().st_size == before
    busy.write("INSERT INTO rows VALUES ('x')")
    assert busy.count() == 40


def test_connections_keep_their_own_patience(busy):
    busy.grow()
    shorten_log()
    with busy.connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone()[0] == 7000
