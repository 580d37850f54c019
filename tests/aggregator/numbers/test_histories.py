"""Random histories of joins, splits, deletions and returns: a number never leads to a book of unrelated records."""

import random
from collections import defaultdict
from contextlib import suppress

import pytest

from aggregator.catalogue.books import find_book
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.grouping.rulings.rows import mark_for_aggregation
from aggregator.models import Manifestation, MatchRuling, Member
from aggregator.numbers.following import follow
from aggregator.review.rulings import Contradiction, carry_out, undo
from harvesting.models import SourceRecord
from harvesting.records.suppression import release
from harvesting.records.suppression import suppress as withhold
from tests.aggregator.shelves import Shelf, assert_numbers_lead_to_groups
from tests.books import record
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
NAMES = [f"{number}" for number in range(8)]
ISBNS = ["9784003101018", "9784101010014", ""]


def act(shelf: Shelf, rng: random.Random) -> None:
    """Change something at random: a record, its visibility, or a ruling."""
    name = rng.choice(NAMES)
    stored = SourceRecord.objects.filter(identifier=name).first()
    match rng.choice(["put", "put", "delete", "withhold", "release", "rule", "rule", "undo"]):
        case "put":
            shelf.put(f"library {name}", name, record(name, title="見本の本", isbn=rng.choice(ISBNS)))
        case "delete":
            shelf.delete(name)
        case "withhold" if stored:
            withhold(stored, "a test", "a person")
        case "release" if stored:
            release(stored)
        case "rule":
            rule(rng)
        case "undo":
            for row in MatchRuling.objects.filter(undone=None).order_by("pk")[:1]:
                undo(row, None)


def rule(rng: random.Random) -> None:
    names = list(SourceRecord.objects.order_by("pk").values_list("public_id", flat=True))
    if len(names) > 1:
        first, second = rng.sample(names, 2)
        row = MatchRuling(verdict=rng.choice(["same", "not_same"]), first=first, second=second, reason="a test")
        row.clean()
        with suppress(Contradiction):
            carry_out(row, None)


def aggregate(size: int) -> None:
    while aggregate_batch(size):
        pass


def members() -> dict[int, set[int]]:
    books: defaultdict[int, set[int]] = defaultdict(set)
    for number, pk in Member.objects.values_list("manifestation", "pk"):
        books[number].add(pk)
    return books


@seeds(8)
def test_a_number_never_leads_to_a_book_of_strangers(seed: int) -> None:
    rng, shelf = random.Random(seed), Shelf()
    family: defaultdict[int, set[int]] = defaultdict(set)  # number -> all records of the books that it has led to
    for _step in range(25):
        for _change in range(rng.randint(1, 4)):
            act(shelf, rng)
        size = rng.choice([1, 2, 100])
        while aggregate_batch(size):
            books = members()
            for number, current in follow(Manifestation.objects.values_list("pk", flat=True)).items():
                assert not family[number] or family[number] & books[current]
                family[number] |= books[current]
        assert_numbers_lead_to_groups()
        for public_id, number in Member.objects.values_list("source_record__public_id", "manifestation"):
            assert find_book(public_id).number == number


@seeds(3)
def test_a_rematch_changes_no_number(seed: int) -> None:
    rng, shelf = random.Random(seed), Shelf()
    for _step in range(12):
        act(shelf, rng)
        aggregate(100)
    books = members()
    mark_for_aggregation(Member.objects.values_list("pk", flat=True))
    aggregate(3)
    assert members() == books
