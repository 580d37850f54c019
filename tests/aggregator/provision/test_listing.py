"""The lists of redistributed records are read from an index, in the order in which it is."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.models import Provided
from aggregator.provision.listing import Span, page, size
from aggregator.provision.sets import EVERYTHING, Part
from tests.plans import plan_of

EARLY, LATE = 7, 0  # origins: that of all early stamps, and that of all late ones
ROWS = 4000


@pytest.fixture
def two_origins(db):
    """Half of all entries are of each origin. In the order of stamps, all of the one come before the other."""
    half = ROWS // 2
    Provided.objects.bulk_create(
        Provided(pk=number, origin=EARLY if number <= half else LATE, stamp=1000 + number, waiting=False)
        for number in range(1, ROWS + 1)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@pytest.mark.parametrize(("part", "index"), [
    (Part(origin=LATE), "provided_of_origin"), (Part(origin=EARLY), "provided_of_origin"),
    (EVERYTHING, "provided_order"),
])  # fmt: skip
def test_a_page_begins_in_the_index_of_its_part_and_sorts_nothing(two_origins, part, index):
    found = plan_of(lambda: page(Span(until=10**6, part=part), 1), "aggregator_provided")
    assert index in found
    assert "TEMP B-TREE" not in found and "Sort" not in found


def test_one_origin_is_read_in_the_order_of_its_own_index(two_origins):
    with CaptureQueriesContext(connection) as queries:
        page(Span(until=10**6, part=Part(origin=LATE)), 1)
    # PostgreSQL would take the index of all stamps for "ORDER BY stamp" where it expects the origin to come soon.
    assert "ORDER BY p.origin, p.stamp, p.id" in queries[0]["sql"]


def test_the_entries_of_an_origin_are_those_of_its_span(two_origins):
    span = Span(until=1000 + ROWS - 2, part=Part(origin=LATE), from_=1000 + ROWS - 10)
    assert [entry.item for entry in page(span, 100)] == list(range(ROWS - 10, ROWS - 1))
    assert size(span) == 9
    assert [entry.item for entry in page(span, 2, (1000 + ROWS - 5, ROWS - 5))] == [ROWS - 4, ROWS - 3]
    assert page(Span(until=10**6, part=Part(origin=5)), 1) == []
