"""No query of a heading's page or of a list reads all headings of a run: seen in the plans of SQLite."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.browse import lists
from aggregator.browse.counting import current_run
from aggregator.browse.heading import find_heading
from aggregator.browse.kinds import CREATOR, SUBJECT
from aggregator.browse.lists import Place
from metadata.record import Subject
from tests.aggregator.browse.conftest import HARARI, HARARI_JA, book

QUESTIONS = [
    lambda: find_heading(CREATOR, "Harari, Yuval N."),
    lambda: find_heading(CREATOR, "nobody"),
    lambda: find_heading(SUBJECT, "日本--歴史"),
    lambda: lists.page(current_run(), CREATOR, "H", Place("HA", 1)),
    lambda: lists.largest(current_run(), CREATOR, 10),
    lambda: lists.class_counts(current_run(), ["9", "91"]),
]


@pytest.mark.parametrize("ask", QUESTIONS, ids=lambda question: str(QUESTIONS.index(question)))
def test_every_query_finds_its_rows_by_more_than_the_run(catalogue, ask):
    if connection.vendor != "sqlite":
        pytest.skip("plans are worded differently")
    catalogue(book(HARARI, HARARI_JA, subjects=(Subject(value="日本--歴史"), Subject(value="日本"))))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ask()
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plan = "; ".join(row[3] for row in cursor.fetchall())
            assert "headingrun" in plan or not re.search(r"SCAN aggregator|\(run=\?\)", plan), (plan, query["sql"])
