"""Time limit on database statements while a page is made.

PostgreSQL limits every statement by itself (statement_timeout). For SQLite a progress handler checks the clock every
few thousand steps.
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
from core.database.dialects import dialect

STEPS = 50_000  # virtual machine instructions of SQLite between two checks of the clock: about a millisecond
# PostgreSQL's codes: statement cancelled, lock wait timed out, transaction idle for too long.
TIMEOUT_CODES = {"57014", "55P03", "25P03"}
UNKNOWN = -1  # in place of milliseconds, where it is not known which limit the session has


class StatementTimeoutMiddleware:
    """Limits GET and HEAD requests to DATABASE_SECONDS; requests that change something have no limit."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seconds = settings.DATABASE_SECONDS if request.method in {"GET", "HEAD"} else 0.0
        limit = LIMITS[dialect().name](connection, seconds)
        response = None
        try:
            with connection.execute_wrapper(limit):
                response = self._get_response(request)
                return response
        finally:
            limit.end(streaming=response is not None and response.streaming)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return busy(request, 10) if isinstance(exception, OperationalError) and was_timed_out(exception) else None


class StatementTimeout:
    """PostgreSQL's statement_timeout of the session, set before the first statement of a request if it differs.

    It is not reset after the request: the next request nearly always has the same limit, which saves two statements.
    """

    _current: ClassVar[WeakKeyDictionary[Any, int]] = WeakKeyDictionary()  # milliseconds by session

    def __init__(self, database: BaseDatabaseWrapper, seconds: float) -> None:
        self._database = database
        self._milliseconds = int(seconds * 1000)
        self._is_set = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not self._is_set:
            self._is_set = True
            if self._current.get(self._database.connection, 0) != self._milliseconds:
                self._set(self._milliseconds)
        return execute(sql, params, many, context)

    def end(self, *, streaming: bool) -> None:
        """End the request. streaming: the page is still being made while it is sent, so the limit is removed."""
        session = self._database.connection
        if streaming and session is not None and self._current.get(session) and not self._database.needs_rollback:
            with suppress(Error):  # a lost connection has no limit either
                self._set(0)

    def _set(self, milliseconds: int) -> None:
        session = self._database.connection
        with self._database.wrap_database_errors:
            session.execute(f"SET statement_timeout = {milliseconds:d}" if milliseconds else "RESET statement_timeout")
        # Inside a transaction the value is unknown afterwards: a rollback undoes the SET.
        self._current[session] = UNKNOWN if self._database.in_atomic_block else milliseconds


class ProgressLimit:
    """Interrupts SQLite when the time is over, counted from the first statement of a request."""

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

    def end(self, *, streaming: bool) -> None:
        if self._connection is not None:
            self._connection.set_progress_handler(None, 0)


LIMITS: dict[str, Callable[[BaseDatabaseWrapper, float], Any]] = {
    "postgresql": StatementTimeout,
    "sqlite": ProgressLimit,
}


def was_timed_out(error: OperationalError) -> bool:
    """Return whether the database ended the statement because of a time limit."""
    cause = error.__cause__
    return getattr(cause, "sqlstate", "") in TIMEOUT_CODES or (
        isinstance(cause, sqlite3.OperationalError) and cause.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT
    )
