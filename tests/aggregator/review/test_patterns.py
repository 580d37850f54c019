"""Questions with the same signs of different books are one row for staff: counted, ordered, filled on older sites."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.missing_patterns import fill_missing_patterns
from aggregator.grouping.rematch import begin_rematch, continue_rematch
from aggregator.matching import Evidence
from aggregator.matching.patterns import LONGEST, NO_SIGNS, pattern_of, signs_in
from aggregator.matching.signs import NATURES
from aggregator.models import Member, ReviewPair, UseCount
from aggregator.review.patterns import pattern_row, patterns, providers_in, waiting
from aggregator.review.readers_concerned import note_readers
from aggregator.statistics.use_days import settle
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf, assert_doubts_are_correct, doubtful, match_everything

pytestmark = pytest.mark.django_db
TITLES = (("料理入門", "乙山, 花子"), ("日本の鉄道", "丙川, 三郎"), ("庭の草花", "丁野, 四郎"))


def test_a_pattern_has_the_signs_of_different_books_in_any_order_and_with_any_weight() -> None:
    near, other, agrees = Evidence("year", "near", -0.4), Evidence("pages", "far", -2.0), Evidence("title", "same", 1.2)
    assert (
        pattern_of([near, agrees, other])
        == pattern_of([Evidence("pages", "far", -0.9), near])
        == ("pages=far,year=near")
    )
    assert signs_in("pages=far,year=near") == [("pages", "far"), ("year", "near")]
    assert pattern_of([agrees, Evidence("title", "same", -0.5)]) == NO_SIGNS  # an agreement never speaks against
    assert signs_in(NO_SIGNS) == []


def test_the_longest_pattern_fits_its_column() -> None:
    longest: dict[str, str] = {}
    for rule, outcome in NATURES:
        longest[rule] = max(outcome, longest.get(rule, ""), key=len)
    assert len(",".join(f"{rule}={outcome}" for rule, outcome in longest.items())) < LONGEST
    assert ReviewPair._meta.get_field("pattern").max_length == LONGEST


@pytest.fixture
def shelf() -> Shelf:
    """Three pairs of similar books with the same signs, each in two providers; and further copies of the last one."""
    shelf = Shelf()
    for title, creator in TITLES:
        for place, described in enumerate(doubtful(title, creator)):
            shelf.put(f"library {place}", f"{title} {place}", described)
    for name in ("third", "fourth"):
        shelf.put(name, f"{title} {name}", described)
    aggregate()
    return shelf


def aggregate() -> None:
    sum(aggregate_pending())


def other_signs(number: int) -> None:
    """Give the question with this place in the queue another pattern."""
    pk = ReviewPair.objects.filter(asked=True).order_by("-worth", "pk").values_list("pk", flat=True)[number]
    ReviewPair.objects.filter(pk=pk).update(pattern="pages=far")


def test_questions_with_the_same_signs_are_one_row(shelf) -> None:
    assert_doubts_are_correct(match_everything())
    (row,) = patterns()
    assert (row.kind, row.questions, row.holdings, row.readers) == ("apart", 3, 2 + 2 + 4, 0)
    assert row.pattern.startswith("year=") and row.words
    assert waiting() == {"joined": 0, "apart": 1}
    assert patterns("joined") == []
    assert pattern_row("joined", row.pattern) is None
    counts = {provider.name: count for provider, count in providers_in("apart", row.pattern).items()}
    assert {counts["library 0"], counts["library 1"]} <= {2, 3} and len(counts) <= 3


def test_the_questions_of_a_provider_are_counted_by_themselves(shelf) -> None:
    (row,) = patterns()
    own = pattern_row("apart", row.pattern, shelf.repository("library 0").number)
    assert own is not None and own.questions == 3
    assert pattern_row("apart", row.pattern, "R999999999") is None


def test_patterns_with_more_holdings_in_the_wrong_place_come_first(shelf) -> None:
    other_signs(0)  # that about the book with most copies
    assert patterns()[0].pattern == "pages=far"
    ReviewPair.objects.filter(pattern="pages=far").update(worth=0.1)
    assert patterns()[1].pattern == "pages=far"


def test_a_pattern_whose_books_are_read_more_comes_before_one_with_as_many_holdings(shelf) -> None:
    other_signs(2)
    pair = ReviewPair.objects.get(pattern="pages=far")
    assert patterns()[1].pattern == "pages=far"
    now = timezone.now()
    book = Member.objects.get(source_record=pair.first).manifestation_id
    for day, opened in ((1, 30), (0, 5)):  # today is not over
        UseCount.objects.create(kind="book", number=book, day=timezone.localdate(now) - timedelta(day), opened=opened)
    assert note_readers(now) == 1
    (first, second) = patterns()
    assert (first.pattern, first.readers, second.readers) == ("pages=far", 30, 0)
    settle(now)
    assert note_readers(now) == 0  # repeated on the same day: nothing is lost
    assert patterns()[0].readers == 30
    assert note_readers(now + timedelta(1)) == 1  # the next day replaces it
    assert patterns()[0].readers == 5


def test_aggregating_again_keeps_the_readers(shelf) -> None:
    ReviewPair.objects.update(readers=7)
    SourceRecord.objects.update(aggregated_at=None)
    aggregate()
    assert set(ReviewPair.objects.filter(asked=True).values_list("readers", flat=True)) == {7}


def test_rows_of_an_older_release_are_filled_without_matching(shelf, django_assert_num_queries) -> None:
    ReviewPair.objects.update(pattern="", holdings=None)
    (row,) = patterns()
    assert (row.pattern, row.questions, row.holdings) == ("", 3, 0)
    assert fill_missing_patterns() == ReviewPair.objects.count()
    assert_doubts_are_correct(match_everything())
    with django_assert_num_queries(1):
        assert fill_missing_patterns() == 0


def test_a_rematch_fills_them_too(shelf) -> None:
    ReviewPair.objects.update(pattern="", holdings=None)
    list(continue_rematch(begin_rematch()[0]))
    assert_doubts_are_correct(match_everything())
