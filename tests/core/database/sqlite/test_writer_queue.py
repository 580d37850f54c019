"""Writers to SQLite queue up: a busy writer does not get a second turn before one that waits."""

import os
import time
from threading import Thread

import pytest
from django.db import DatabaseError, connection

from core.database.sqlite import writer_queue
from core.database.sqlite.base import DatabaseWrapper
from core.database.sqlite.writer_queue import WriterQueue
from core.file_locks import try_lock_file

NEXT, WRITER = 0, 1
SETTINGS = {"ENGINE": "core.database.sqlite", "TIME_ZONE": None, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}
SETTINGS |= {"AUTOCOMMIT": True, "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 1}, "USER": "", "HOST": ""}


@pytest.fixture
def path(tmp_path):
    return f"{tmp_path}/some.sqlite3"


def is_free(path, lock=WRITER):
    other = WriterQueue(path)
    other._open()
    free = try_lock_file(other._files[lock])
    other.close()
    return free


def start_waiting(work, path):
    """Start a thread that does the work; return the thread as soon as it is next in the queue."""
    thread = Thread(target=work)
    thread.start()
    while is_free(path, NEXT):
        time.sleep(0.001)
    return thread


def test_a_writer_that_has_just_written_goes_behind_one_that_waits(path):
    served = []
    busy, reader = WriterQueue(path), WriterQueue(path)

    def read_once():
        reader.enter()
        served.append("reader")
        reader.leave()

    busy.enter()
    thread = start_waiting(read_once, path)
    for _ in range(3):
        busy.leave()
        busy.enter()
        served.append("busy")
    busy.leave()
    thread.join()
    assert served == ["reader", "busy", "busy", "busy"]


def test_all_waiting_writers_get_their_turns(path):
    served = []

    def write(number):
        queue = WriterQueue(path)
        for _ in range(5):
            queue.enter()
            served.append(number)
            queue.leave()
        queue.close()

    threads = [Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(served) == sorted([*range(6)] * 5)


def test_a_writer_goes_on_after_waiting_too_long_or_if_it_cannot_open_the_files(path, monkeypatch):
    monkeypatch.setattr(writer_queue, "MAX_WAIT", 0.01)
    frozen, other = WriterQueue(path), WriterQueue(path)
    frozen.enter()
    other.enter()
    other.leave()  # `other` has waited for MAX_WAIT and then written without its turn
    third = WriterQueue(path)
    third.enter()
    frozen.leave()
    WriterQueue(f"{path}/nowhere/it.sqlite3").enter()


def test_a_forked_child_does_not_give_up_the_turn_of_its_parent(path):
    parent, other = WriterQueue(path), WriterQueue(path)
    parent.enter()
    child = os.fork()
    if not child:
        parent.leave()
        os._exit(0)
    os.waitpid(child, 0)
    thread = start_waiting(other.enter, path)
    assert thread.is_alive()
    parent.leave()
    thread.join()
    other.leave()


@pytest.fixture
def database(path):
    database = DatabaseWrapper({**SETTINGS, "NAME": path}, "queued")
    with database.cursor() as cursor:
        cursor.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
    yield database
    database.close()


@pytest.mark.django_db
def test_transactions_and_single_writes_enter_and_leave_the_queue(database, path):
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
def test_closing_a_connection_in_a_transaction_leaves_the_queue(database, path):
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert not is_free(path)
    database.close()
    assert is_free(path)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite only")
def test_the_site_writes_through_the_queue():
    assert connection.settings_dict["ENGINE"] == "core.database.sqlite"
