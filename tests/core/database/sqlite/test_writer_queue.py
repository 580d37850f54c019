"""Who writes to SQLite stands in a queue: nobody who writes again and again is served twice before one who waits."""

import os
import time
from threading import Thread

import pytest
from django.db import DatabaseError, connection

from core.database.sqlite import writer_queue as queue
from core.database.sqlite.base import DatabaseWrapper
from core.database.sqlite.writer_queue import WriterQueue

NEXT, WRITER = 0, 1
SETTINGS = {"ENGINE": "core.database.sqlite", "TIME_ZONE": None, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}
SETTINGS |= {"AUTOCOMMIT": True, "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 1}, "USER": "", "HOST": ""}


@pytest.fixture
def path(tmp_path):
    return f"{tmp_path}/some.sqlite3"


def is_free(path, which=WRITER):
    other = WriterQueue(path)
    other._open()
    free = queue._lock(other._files[which], 0, 0)
    other.close()
    return free


def waits(work, path):
    """A thread that does this, and stands at the place behind the writer."""
    thread = Thread(target=work)
    thread.start()
    while is_free(path, NEXT):
        time.sleep(0.001)
    return thread


def test_who_has_just_written_is_behind_who_waits(path):
    served = []
    busy, reader = WriterQueue(path), WriterQueue(path)

    def once():
        reader.enter()
        served.append("reader")
        reader.leave()

    busy.enter()
    thread = waits(once, path)
    for _round in range(3):
        busy.leave()
        busy.enter()
        served.append("busy")
    busy.leave()
    thread.join()
    assert served == ["reader", "busy", "busy", "busy"]


def test_all_who_wait_are_served(path):
    served = []

    def write(number):
        mine = WriterQueue(path)
        for _each in range(5):
            mine.enter()
            served.append(number)
            mine.leave()
        mine.close()

    threads = [Thread(target=write, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(served) == sorted([*range(6)] * 5)


def test_who_waits_too_long_or_may_not_open_the_files_goes_on_without_it(path, monkeypatch):
    monkeypatch.setattr(queue, "PATIENCE", 0.01)
    frozen, other = WriterQueue(path), WriterQueue(path)
    frozen.enter()
    other.enter()
    other.leave()  # it was never its turn
    third = WriterQueue(path)
    third.enter()
    frozen.leave()
    WriterQueue(f"{path}/nowhere/it.sqlite3").enter()


def test_a_child_does_not_leave_for_its_parent(path):
    parent, other = WriterQueue(path), WriterQueue(path)
    parent.enter()
    child = os.fork()
    if not child:
        parent.leave()
        os._exit(0)
    os.waitpid(child, 0)
    thread = waits(other.enter, path)
    assert thread.is_alive()
    parent.leave()
    thread.join()
    other.leave()


@pytest.fixture
def database(path):
    made = DatabaseWrapper({**SETTINGS, "NAME": path}, "queued")
    with made.cursor() as cursor:
        cursor.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
    yield made
    made.close()


@pytest.mark.django_db
def test_transactions_and_single_writes_stand_in_it_and_leave_it(database, path):
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (1)")
        assert is_free(path)
        database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        assert not is_free(path)
        cursor.execute("INSERT INTO t VALUES (2)")
        database.rollback()
        assert is_free(path)
        database.set_autocommit(True)
        with pytest.raises(DatabaseError):
            cursor.execute("INSERT INTO t VALUES (1)")
        assert is_free(path)


@pytest.mark.django_db
def test_a_connection_that_is_closed_in_a_transaction_leaves(database, path):
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert not is_free(path)
    database.close()
    assert is_free(path)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="of SQLite")
def test_the_site_writes_through_it():
    assert connection.settings_dict["ENGINE"] == "core.database.sqlite"
