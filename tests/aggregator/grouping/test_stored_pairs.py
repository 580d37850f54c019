"""A batch reads, of the stored pairs across groups, only those whose questions it may change; the others stay right."""

import pytest
from msgspec import structs

from aggregator.grouping import doubt_rows, region
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.models import Manifestation, ReviewPair
from metadata.record import BibliographicRecord, Title
from tests.aggregator.shelves import Shelf, assert_doubts_are_correct, doubtful, match_everything

pytestmark = pytest.mark.django_db
FORMS = "甲乙丙丁戊"


def forms(described: BibliographicRecord, number: int) -> list[BibliographicRecord]:
    """The same book in so many different descriptions."""
    return [structs.replace(described, series=(Title(value=f"{name}の叢書"),)) for name in FORMS[:number]]


@pytest.fixture
def shelf() -> Shelf:
    """Two similar books in four descriptions each: sixteen pairs across two groups, one question."""
    shelf = Shelf()
    for book, described in enumerate(doubtful("料理入門", "乙山, 花子")):
        for place, form in enumerate(forms(described, 4)):
            shelf.put("a", f"{book}{place}", form)
    aggregate()
    return shelf


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets the number of pairs that each query returns."""
    counts: list[int] = []
    for name in ("stored_pairs", "representatives"):
        query = getattr(region, name)

        def counted(cores, query=query):
            found = query(cores)
            counts.append(len(found))
            return found

        monkeypatch.setattr(region, name, counted)
    return counts


def aggregate() -> None:
    while aggregate_batch(100):
        pass
    assert_doubts_are_correct(match_everything())


def test_pairs_across_two_groups_are_one_question(shelf: Shelf) -> None:
    assert Manifestation.objects.count() == 2
    across = ReviewPair.objects.filter(joined=False)
    assert (across.count(), across.filter(chance__gt=0).count()) == (16, 1)


def test_a_further_description_of_one_book_reads_no_pairs_of_the_others(shelf: Shelf, read: list[int]) -> None:
    first, _second = doubtful("料理入門", "乙山, 花子")
    shelf.put("a", "04", forms(first, 5)[4])
    aggregate()
    assert Manifestation.objects.count() == 2
    assert ReviewPair.objects.filter(joined=False).count() == 20
    assert sum(read) <= 3  # what stands for the question about the two groups, and for those about each group


def test_another_pair_stands_for_the_question_when_the_description_that_did_is_gone(shelf: Shelf) -> None:
    pair = ReviewPair.objects.select_related("first").get(joined=False, chance__gt=0)
    shelf.delete(pair.first.identifier)
    aggregate()
    across = ReviewPair.objects.filter(joined=False)
    assert (across.count(), across.filter(chance__gt=0).count()) == (12, 1)


def test_a_group_in_which_nothing_changed_is_not_looked_at_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more copy of a description, and a third book that is similar to the first."""
    looked_at: list[set[int]] = []
    doubt_within = doubt_rows.doubt_within

    def within(group, *arguments):
        looked_at.append(set(group))
        return doubt_within(group, *arguments)

    monkeypatch.setattr(doubt_rows, "doubt_within", within)
    first, second = doubtful("料理入門", "乙山, 花子")
    shelf.put("b", "copy", forms(first, 1)[0])
    aggregate()
    assert looked_at == []
    shelf.put("a", "14", forms(second, 5)[4])
    aggregate()
    assert [len(group) for group in looked_at] == [5]


def test_the_question_about_a_smaller_group_stays_when_what_stood_for_the_one_about_both_is_gone(shelf: Shelf) -> None:
    """Its pairs are read, to find another one that stands for both; the one within it is no matter of the batch."""
    first, second = doubtful("料理入門", "乙山, 花子")
    shelf.put("a", "14", structs.replace(second, issued=str(int(second.issued) + 1)))
    for place in range(4, 10):
        shelf.put("a", f"0{place}", structs.replace(first, series=(Title(value=f"{place}番目の叢書"),)))
    aggregate()
    within = ReviewPair.objects.get(joined=True)
    across = ReviewPair.objects.select_related("first", "second").get(joined=False, chance__gt=0)
    shelf.delete(min(across.first.identifier, across.second.identifier))  # that of the larger group
    aggregate()
    assert ReviewPair.objects.get(joined=True).pk == within.pk
