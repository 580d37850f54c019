"""Hits that are also on this site are recognised by matching, and nothing is stored."""

import pytest
from msgspec.structs import replace

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.live.asking import own_books
from aggregator.models import Core, Kind, MatchKey, Member
from harvesting.models import SourceRecord
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db
SAME = BibliographicRecord(
    titles=(Title(value="こころ"),),
    creators=(Agent(name="夏目, 漱石"),),
    publishers=(Agent(name="岩波書店"),),
    identifiers=(Identifier(scheme="ISBN", value="9784003101117"),),
    issued="1989",
)
OTHER = replace(SAME, titles=(Title(value="草枕"),), identifiers=(), creators=(Agent(name="泉鏡花"),))


@pytest.fixture
def book(shelf, library) -> int:
    source = shelf.record(library, KOKORO)
    for _batch in aggregate_pending():
        pass
    return Member.objects.get(source_record=source).manifestation_id


def test_a_hit_that_is_a_book_of_ours_is_recognised(book):
    assert own_books([OTHER, SAME]) == [0, book]


def test_nothing_is_written(book, django_assert_max_num_queries):
    before = [model.objects.count() for model in (SourceRecord, Core, Kind, MatchKey, Member)]
    with django_assert_max_num_queries(8) as captured:
        own_books([SAME, OTHER] * 25)
    assert not [query for query in captured if not query["sql"].startswith("SELECT")]
    assert [model.objects.count() for model in (SourceRecord, Core, Kind, MatchKey, Member)] == before


def test_an_empty_catalogue_has_no_books(db):
    assert own_books([SAME]) == [0]
    assert own_books([]) == []
