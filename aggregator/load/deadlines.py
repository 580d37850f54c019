"""How long the database may take while a page is made. Knows Django's connection; no address, no page.

PostgreSQL ends each statement by itself. SQLite is asked every few thousand steps whether the time is over.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
from django.conf import settings
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse

from aggregator.load.refusals import busy

STEPS = 50_000  # of SQLite's machine between two looks at the clock: about a millisecond
# PostgreSQL's codes: a statement that was ended, one that waited too long for a lock, a transaction that stood still.
TOO_LATE = {"57014", "55P03", "25P03"}


class Deadlines:
    """Reading requests get DATABASE_SECONDS; requests that change something may take what they need."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seconds = settings.DATABASE_SECONDS if request.method in {"GET", "HEAD"} else 0.0
        limit = LIMITS[connection.vendor](connection, seconds)
        try:
            with connection.execute_wrapper(limit):
                return self._get_response(request)
        finally:
            limit.end()

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return busy(request, 10) if isinstance(exception, OperationalError) and was_ended(exception) else None


class StatementTimeout:
    """PostgreSQL's own limit, set before the first statement of a request: most pages that ask nothing pay nothing."""

    def __init__(self, database: BaseDatabaseWrapper, seconds: float) -> None:
        self._database = database
        self._milliseconds = int(seconds * 1000)
        self._is_set = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not self._is_set and self._milliseconds:
            self._is_set = True
            self._database.connection.execute(f"SET statement_timeout = {self._milliseconds:d}")
        return execute(sql, params, many, context)

    def end(self) -> None:
        """The connection goes on to the next request without it."""
        if self._is_set and self._database.connection is not None and not self._database.needs_rollback:
            with suppress(psycopg.Error):  # a lost connection has no limit either
                self._database.connection.execute("RESET statement_timeout")


class ProgressLimit:
    """SQLite gives up when the time since the first statement of a request is over."""

    def __init__(self, database: BaseDatabaseWrapper, seconds: float) -> None:
        self._database = database
        self._seconds = seconds
        self._connection: sqlite3.Connection | None = None

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self._connection is None and self._seconds:
            self._connection = self._database.connection
            deadline = time.monotonic() + self._seconds
            self._connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
        return execute(sql, params, many, context)

    def end(self) -> None:
        if self._connection is not None:
            self._connection.set_progress_handler(None, 0)


LIMITS: dict[str, Callable[[BaseDatabaseWrapper, float], Any]] = {
    "postgresql": StatementTimeout,
    "sqlite": ProgressLimit,
}


def was_ended(error: OperationalError) -> bool:
    """Whether the database stopped because the time was over."""
    cause = error.__cause__
    return getattr(cause, "sqlstate", "") in TOO_LATE or (
        isinstance(cause, sqlite3.OperationalError) and cause.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT
    )
