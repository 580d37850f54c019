"""Uncertain pairs reach the review queue, and leave it when staff rule about them or the pair no longer exists."""

import pytest
from django.utils import timezone

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.matching import JOIN, REVIEW, compare, extract_features, score
from aggregator.matching.comparison.decide import CERTAIN
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.patterns import budget, patterns, waiting
from aggregator.review.queue import queue
from aggregator.review.rulings import carry_out, undo
from harvesting.models import HealthStatus, SourceRecord
from metadata.record import BibliographicRecord
from tests.aggregator.matching.books import book
from tests.aggregator.shelves import Shelf, assert_doubts_are_correct, match_everything

pytestmark = pytest.mark.django_db
SURE = {"author": "夏目漱石", "publisher": "岩波書店", "year": "1990"}
VARIANTS = [
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


def similar(low: float, high: float) -> BibliographicRecord:
    """Return a record whose score against a and b lies between low and high, whatever the weights are."""
    sure = extract_features(book("こころ", **SURE))
    records = [book(**{"title": "こころ"} | fields) for fields in VARIANTS]
    return next(record for record in records if low <= score(compare(sure, extract_features(record))) < high)


def aggregate() -> None:
    list(aggregate_pending())
    assert_doubts_are_correct(match_everything())


@pytest.fixture
def shelf() -> Shelf:
    """a and b are certainly one book. Tests add c, which is grouped with them by a weak link, or d, which is similar
    but not grouped.
    """
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


def test_certain_matches_are_not_queued(shelf):
    assert not ReviewPair.objects.exists()
    assert waiting() == {"joined": 0, "apart": 0}


def test_a_weak_link_of_a_group_is_queued_with_its_reasons(shelf):
    shelf.put("three", "c", similar(JOIN, CERTAIN))
    aggregate()
    (pair,) = queue()
    assert pair.joined
    (weak,) = [record for record in (pair.first, pair.second) if record.identifier == "c"]
    assert weak.repository.name == "three"
    assert pair.first.member.manifestation_id == pair.second.member.manifestation_id
    assert len(pair.evidence) > 0


def test_similar_records_in_two_groups_are_queued(shelf):
    apart = shelf.put("three", "d", similar(REVIEW, JOIN))
    aggregate()
    (pair,) = queue(joined=False)
    assert apart.pk in {pair.first.member.manifestation_id, pair.second.member.manifestation_id}
    assert waiting() == {"joined": 0, "apart": 1}


def test_a_ruled_pair_leaves_the_queue_until_the_ruling_is_undone(shelf):
    shelf.put("three", "d", similar(REVIEW, JOIN))
    aggregate()
    row = rule("not_same", queue().get())
    assert not queue().exists()
    undo(row, None)
    aggregate()
    rule("same", queue().get())
    assert not queue().exists()


def test_a_pair_leaves_with_a_deleted_record_and_returns_with_it(shelf):
    record = similar(JOIN, CERTAIN)
    shelf.put("three", "c", record)
    aggregate()
    shelf.delete("c")
    aggregate()
    assert not ReviewPair.objects.exists()
    shelf.put("three", "c", record)
    aggregate()
    assert queue().count() == 1


def test_aggregating_again_does_not_change_since_when_a_pair_waits(shelf):
    stored = shelf.put("three", "c", similar(JOIN, CERTAIN))
    aggregate()
    since = queue().get().since
    SourceRecord.objects.filter(pk=stored.pk).update(aggregated_at=None)
    aggregate()
    assert queue().get().since == since


def test_the_queue_of_a_provider_has_the_pairs_of_its_records(shelf):
    stored = shelf.put("three", "c", similar(JOIN, CERTAIN))
    aggregate()
    assert queue(repository=stored.repository.number).count() == 1
    assert queue(repository="R999999999").count() == 0


def test_staff_are_asked_no_more_than_the_budget_and_the_worthiest_first(shelf, monkeypatch):
    shelf.put("three", "c", similar(JOIN, CERTAIN))
    shelf.put("four", "d", similar(REVIEW, JOIN))
    aggregate()
    first, second = queue()
    assert first.worth >= second.worth > 0
    monkeypatch.setattr("aggregator.review.patterns.AT_LEAST", 1)
    assert [row.pattern for row in patterns()] == [first.pattern]
    assert sum(waiting().values()) == 1
    rule("same" if first.joined else "not_same", first)
    assert queue().get().joined is second.joined


def test_the_budget_grows_with_the_catalogue(shelf):
    assert budget() == 20
    HealthStatus.objects.update_or_create(
        repository=shelf.repository("one"), defaults={"records": 1_000_000, "since": timezone.now()}
    )
    assert budget() == 6000


def test_a_question_is_worth_more_when_a_copy_of_a_known_description_arrives(shelf):
    described = similar(REVIEW, JOIN)
    shelf.put("three", "d", described)
    aggregate()
    before = queue().get().worth
    shelf.put("four", "e", described)
    aggregate()
    assert queue().get().worth == pytest.approx(2 * before, abs=0.02)


def test_the_queue_is_read_in_few_queries(shelf, django_assert_num_queries):
    shelf.put("three", "c", similar(JOIN, CERTAIN))
    shelf.put("four", "d", similar(REVIEW, JOIN))
    aggregate()
    with django_assert_num_queries(1):
        for pair in queue():
            assert pair.first.repository.name
            assert pair.second.member.manifestation_id


def test_a_question_shows_another_copy_when_the_shown_record_is_deleted(shelf):
    """The other copy has the same description, so that nothing is compared again."""
    described = similar(REVIEW, JOIN)
    for name in ("c", "d"):
        shelf.put("three", name, described)
    aggregate()
    (pair,) = queue(joined=False)
    assert "c" in {pair.first.identifier, pair.second.identifier}
    shelf.delete("c")
    aggregate()
    (pair,) = queue(joined=False)
    assert "d" in {pair.first.identifier, pair.second.identifier}
