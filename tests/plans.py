"""How the database carries out a statement, to see that it reads an index and not a whole table."""

import json
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext


def plan_of(work: Callable[[], Any], table: str) -> str:
    """The plan, as text, of the first statement of a call that reads a table.

    PostgreSQL reads a small table as a whole; it is told to do so only where no index serves.
    """
    with CaptureQueriesContext(connection) as queries:
        work()
    sql = next(query["sql"] for query in queries if f" {table} " in query["sql"].replace('"', " "))
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"))
            return json.dumps(cursor.fetchall())
        cursor.execute("SET enable_seqscan = off")
        try:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}".replace("%", "%%"))
            return json.dumps(cursor.fetchall())
        finally:
            cursor.execute("RESET enable_seqscan")
