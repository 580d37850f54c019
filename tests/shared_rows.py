"""Rows that all tests of a module share: stored once, below the transaction of each test, and undone at the end.

For modules whose tests do not search. A test of such a module cannot use `transactional_db`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import connection, transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker


def shared_rows(store: Callable[[], object], blocker: DjangoDbBlocker) -> Iterator[None]:
    """Store rows, yield for the tests, then undo. Use it as `yield from` in a fixture with scope="module"."""
    block = transaction.atomic()
    block._from_testcase = True  # as in Django's TestCase: durable blocks are allowed inside
    close = connection.close
    with blocker.unblock(), TemporaryDirectory() as folder, override_settings(SEARCH_DIR=Path(folder)):
        block.__enter__()
        connection.close = lambda: None  # Django closes the connection after each test; this transaction needs it
        store()
    yield
    with blocker.unblock():
        connection.close = close
        transaction.set_rollback(True)
        block.__exit__(None, None, None)
