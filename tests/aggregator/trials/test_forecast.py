"""What registering records would mean for the catalogue, before anything is stored."""

import pytest

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchAlarm, MatchKey, Member
from aggregator.trials.forecast import expected
from tests.aggregator.views.shelf import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "978-4-10-101013-7"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_a_known_book_is_joined_and_an_unknown_one_is_new(shelf, library):
    stored = shelf.record(library, record("a", title="こころ", isbn=ISBN))
    list(aggregate_pending())
    before = [model.objects.count() for model in (MatchKey, Member, MatchAlarm)]
    outcomes = expected(
        [record("b", title="こころ", isbn=ISBN), None, record("c", title="門", creator="別人", issued="1990")]
    )
    assert [(outcome.number, outcome.outcome) for outcome in outcomes] == [(1, "joins"), (3, "new")]
    assert outcomes[0].known.public_id == stored.public_id
    assert outcomes[0].evidence
    assert before == [model.objects.count() for model in (MatchKey, Member, MatchAlarm)]


def test_queries_do_not_grow_with_the_sample(shelf, library, django_assert_max_num_queries):
    for number in range(5):
        shelf.record(library, record(f"a{number}", title=f"見本の本{number}"))
    list(aggregate_pending())
    with django_assert_max_num_queries(8):
        expected([record(f"b{number}", title=f"見本の本{number % 5}") for number in range(50)])
