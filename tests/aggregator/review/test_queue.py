"""Pairs that are not certain reach staff, and leave the queue when they are ruled about or are no more."""

import pytest

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.matching import JOIN, REVIEW, compare, extract_features, score
from aggregator.matching.comparison.decide import CERTAIN
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.decisions import carry_out, undo
from aggregator.review.queue import queue, reasons, waiting
from harvesting.models import SourceRecord
from metadata.record import BibliographicRecord
from tests.aggregator.matching.books import book
from tests.aggregator.shelves import Shelf, assert_doubts_are_true, whole

pytestmark = pytest.mark.django_db
SURE = {"author": "夏目漱石", "publisher": "岩波書店", "year": "1990"}
OTHERWISE = [
    SURE | change
    for change in (
        {"publisher": "新潮社"},
        {"author": "別人"},
        {"year": "1991"},
        {"year": "1996"},
        {"year": "1996", "author": ""},
        {"year": "1991", "publisher": "新潮社"},
        {"year": "1996", "publisher": ""},
        {"year": "1996", "author": "", "extent": "200p"},
        {"title": "こころ : 小説", "publisher": "新潮社"},
        {"title": "こころ : 小説", "year": "1991"},
    )
]


def unlike(low: float, high: float) -> BibliographicRecord:
    """A description whose score beside the sure one lies between the two, whatever the weights are."""
    sure = extract_features(book("こころ", **SURE))
    described = [book(**{"title": "こころ"} | each) for each in OTHERWISE]
    return next(each for each in described if low <= score(compare(sure, extract_features(each))) < high)


def aggregate() -> None:
    list(aggregate_pending())
    assert_doubts_are_true(whole())


@pytest.fixture
def shelf() -> Shelf:
    """a and b are one book for certain, c joins them weakly, d stands apart though it is alike."""
    shelf = Shelf()
    shelf.put("one", "a", book("こころ", **SURE))
    shelf.put("two", "b", book("こころ", **SURE))
    aggregate()
    return shelf


def rule(verdict: str, pair: ReviewPair) -> MatchRuling:
    row = MatchRuling(verdict=verdict, first=pair.first.public_id, second=pair.second.public_id, reason="a test")
    row.clean()
    carry_out(row, None)
    aggregate()
    return row


def test_what_is_certain_is_not_asked_about(shelf):
    assert not ReviewPair.objects.exists()
    assert waiting() == {True: 0, False: 0}


def test_what_holds_a_group_together_weakly_waits_with_its_reasons(shelf):
    shelf.put("three", "c", unlike(JOIN, CERTAIN))
    aggregate()
    (pair,) = queue()
    assert pair.joined
    assert pair.second.identifier == "c"
    assert pair.second.repository.name == "three"
    assert pair.first.member.manifestation_id == pair.second.member.manifestation_id
    assert len(reasons(pair)) == len(pair.evidence) > 0


def test_what_stands_apart_though_alike_waits_for_both_groups(shelf):
    apart = shelf.put("three", "d", unlike(REVIEW, JOIN))
    aggregate()
    (pair,) = queue(joined=False)
    assert apart.pk in {pair.first.member.manifestation_id, pair.second.member.manifestation_id}
    assert waiting() == {True: 0, False: 1}


def test_a_pair_that_staff_rule_about_waits_no_more_until_the_ruling_is_undone(shelf):
    shelf.put("three", "d", unlike(REVIEW, JOIN))
    aggregate()
    row = rule("not_same", queue().get())
    assert not queue().exists()
    undo(row, None)
    aggregate()
    rule("same", queue().get())
    assert not queue().exists()


def test_a_pair_goes_with_its_record_and_comes_back_with_it(shelf):
    record = unlike(JOIN, CERTAIN)
    shelf.put("three", "c", record)
    aggregate()
    shelf.delete("c")
    aggregate()
    assert not ReviewPair.objects.exists()
    shelf.put("three", "c", record)
    aggregate()
    assert queue().count() == 1


def test_since_when_a_pair_waits_does_not_change_with_another_look(shelf):
    stored = shelf.put("three", "c", unlike(JOIN, CERTAIN))
    aggregate()
    since = queue().get().since
    SourceRecord.objects.filter(pk=stored.pk).update(aggregated_at=None)
    aggregate()
    assert queue().get().since == since


def test_the_queue_of_a_provider_holds_the_pairs_of_its_records(shelf):
    stored = shelf.put("three", "c", unlike(JOIN, CERTAIN))
    aggregate()
    assert queue(repository=stored.repository.number).count() == 1
    assert queue(repository="R999999999").count() == 0


def test_the_queue_is_read_in_one_query(shelf, django_assert_num_queries):
    shelf.put("three", "c", unlike(JOIN, CERTAIN))
    shelf.put("four", "d", unlike(REVIEW, JOIN))
    aggregate()
    with django_assert_num_queries(1):
        for pair in queue():
            assert pair.first.repository.name
            assert pair.second.member.manifestation_id
