"""A second connection to the database in tests, as another process would have it."""

from contextlib import contextmanager
from threading import Event, Thread

from django.db import connection


@contextmanager
def another_connection(work):
    """Enter the context `work` on another connection; yield once it is entered, and leave it after the block."""
    begun, over = Event(), Event()

    def run():
        try:
            with work():
                begun.set()
                over.wait(30)
        finally:
            begun.set()
            connection.close()

    thread = Thread(target=run)
    thread.start()
    assert begun.wait(30)
    try:
        yield
    finally:
        over.set()
        thread.join()
