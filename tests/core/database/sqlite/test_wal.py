"""SQLite's write-ahead log grows while there is always a reader, and can be truncated."""

import sqlite3
from pathlib import Path

import pytest

from core.database.sqlite import wal
from core.database.sqlite.base import DatabaseWrapper
from core.database.sqlite.wal import shorten_log

pytestmark = pytest.mark.django_db
SETTINGS = {"ENGINE": "core.database.sqlite", "TIME_ZONE": None, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}
SETTINGS |= {"AUTOCOMMIT": True, "USER": "", "HOST": ""}
SETTINGS["OPTIONS"] = {"timeout": 7, "init_command": "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=10"}
ROW = "x" * 1000


class Busy:
    """A database in a file with two readers that take turns, so that there is always one that reads."""

    def __init__(self, path: Path) -> None:
        self.connection = DatabaseWrapper(SETTINGS | {"NAME": str(path)})
        self.write("CREATE TABLE rows (text)")
        self.readers = [sqlite3.connect(path, isolation_level=None) for _ in range(2)]
        self.log = path.with_name(f"{path.name}-wal")

    def write(self, statement: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(statement)

    def begin_reading(self, number: int) -> None:
        self.readers[number].execute("BEGIN")
        self.readers[number].execute("SELECT count(*) FROM rows").fetchone()

    def grow(self) -> None:
        self.begin_reading(0)
        for turn in range(1, 40):
            self.write(f"INSERT INTO rows VALUES ('{ROW}')")
            self.begin_reading(turn % 2)
            self.readers[(turn + 1) % 2].execute("COMMIT")

    def count(self) -> int:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM rows")
            return cursor.fetchone()[0]

    def close(self) -> None:
        self.connection.close()
        for reader in self.readers:
            reader.close()


@pytest.fixture
def busy(tmp_path, monkeypatch):
    database = Busy(tmp_path / "some.sqlite3")
    monkeypatch.setattr(wal, "connections", {"default": database.connection})
    monkeypatch.setattr(wal, "MAX_LOG_BYTES", 60_000)
    monkeypatch.setattr(wal, "READER_WAIT", 50)
    yield database
    database.close()


def test_the_log_grows_while_there_is_always_a_reader_and_is_truncated(busy):
    busy.grow()
    long = busy.log.stat().st_size
    busy.readers[1].execute("COMMIT")
    assert long > wal.MAX_LOG_BYTES
    assert shorten_log()
    assert busy.log.stat().st_size == 0
    assert busy.count() == 39
    assert not shorten_log()


def test_truncation_gives_up_on_a_long_reader_and_others_can_write(busy):
    busy.grow()
    before = busy.log.stat().st_size
    assert not shorten_log()
    assert busy.log.stat().st_size == before
    busy.write("INSERT INTO rows VALUES ('x')")
    assert busy.count() == 40


def test_the_busy_timeout_of_the_connection_is_restored(busy):
    busy.grow()
    shorten_log()
    with busy.connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone()[0] == 7000
