"""How long the database may take while a page is made. Knows Django's connection; no address, no page.

PostgreSQL ends each statement by itself. SQLite is asked every few thousand steps whether the time is over.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import Error, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse

from aggregator.middleware.refusals import busy

STEPS = 50_000  # of SQLite's machine between two looks at the clock: about a millisecond
# PostgreSQL's codes: a statement that was ended, one that waited too long for a lock, a transaction that stood still.
TOO_LATE = {"57014", "55P03", "25P03"}
UNKNOWN = -1


class StatementTimeoutMiddleware:
    """Reading requests get DATABASE_SECONDS; requests that change something may take what they need."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seconds = settings.DATABASE_SECONDS if request.method in {"GET", "HEAD"} else 0.0
        limit = LIMITS[connection.vendor](connection, seconds)
        response = None
        try:
            with connection.execute_wrapper(limit):
                response = self._get_response(request)
                return response
        finally:
            limit.end(goes_on=response is not None and response.streaming)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return busy(request, 10) if isinstance(exception, OperationalError) and was_ended(exception) else None


class StatementTimeout:
    """PostgreSQL's own limit, of the session: set before the first statement of a request, if another stands there.

    It is left for the requests that follow, of which nearly all read: they pay nothing for it.
    """

    _standing: ClassVar[WeakKeyDictionary[Any, int]] = WeakKeyDictionary()  # milliseconds by session

    def __init__(self, database: BaseDatabaseWrapper, seconds: float) -> None:
        self._database = database
        self._milliseconds = int(seconds * 1000)
        self._is_set = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not self._is_set:
            self._is_set = True
            if self._standing.get(self._database.connection, 0) != self._milliseconds:
                self._set(self._milliseconds)
        return execute(sql, params, many, context)

    def end(self, *, goes_on: bool) -> None:
        """goes_on: the page is still made while it is sent, which may take longer."""
        session = self._database.connection
        if goes_on and session is not None and self._standing.get(session) and not self._database.needs_rollback:
            with suppress(Error):  # a lost connection has no limit either
                self._set(0)

    def _set(self, milliseconds: int) -> None:
        session = self._database.connection
        with self._database.wrap_database_errors:
            session.execute(f"SET statement_timeout = {milliseconds:d}" if milliseconds else "RESET statement_timeout")
        # A transaction may take it back.
        self._standing[session] = UNKNOWN if self._database.in_atomic_block else milliseconds


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

    def end(self, *, goes_on: bool) -> None:
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
