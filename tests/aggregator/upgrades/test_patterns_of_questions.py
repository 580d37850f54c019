"""Questions that the previous release wrote, before or during an upgrade machine by machine, get their pattern."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.patterns import patterns
from aggregator.tasks import aggregate
from tests.aggregator.shelves import Shelf, assert_doubts_are_correct, doubtful, match_everything

pytestmark = pytest.mark.django_db
PAIR = "first_core_id second_core_id first_id second_id score chance worth joined asked evidence since".split()
RULING = "verdict first second records with_copies isbn reason created snapshot".split()


def write(table: str, columns: list[str], values: list[object]) -> None:
    """Write a row as a release does that does not know the columns of patterns."""
    names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", values)


def test_a_question_of_the_previous_release_is_sorted_by_the_next_aggregation() -> None:
    shelf = Shelf()
    for place, described in enumerate(doubtful("料理入門", "乙山, 花子")):
        shelf.put(f"library {place}", f"{place}", described)
    sum(aggregate_pending())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(PAIR)} FROM aggregator_reviewpair")
        (values,) = cursor.fetchall()
    ReviewPair.objects.all().delete()
    write("aggregator_reviewpair", PAIR, list(values))
    (row,) = patterns()
    assert (row.pattern, row.questions, row.holdings) == ("", 1, 0) and row.words
    aggregate()
    (row,) = patterns()
    assert (row.pattern, row.holdings) == (ReviewPair.objects.get().pattern, 2) and row.pattern
    assert_doubts_are_correct(match_everything())


def test_a_ruling_of_the_previous_release_is_that_of_a_person() -> None:
    values = ["same", "R000000001-Ia", "R000000002-Ib", "[]", "[]", "", "x", datetime(2026, 11, 1, tzinfo=UTC), "{}"]
    write("aggregator_matchdecision", RULING, values)
    row = MatchRuling.objects.get()
    assert (row.pattern, row.by_pattern) == ("", False)
