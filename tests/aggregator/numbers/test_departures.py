"""Where a number out of use leads, when the record that it followed leaves the catalogue for good."""

import random

import pytest

from aggregator.erasing.begin import begin
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import Kind, Member
from aggregator.numbers.following import follow
from aggregator.tasks import erase_providers
from harvesting.records.suppression import suppress
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf, assert_numbers_lead_to_groups
from tests.books import record
from tests.seeds import seeds

pytestmark = pytest.mark.django_db


def book(local_id: str, number: int) -> BibliographicRecord:
    titles, isbns = ("坊っちゃん", "三四郎", "草枕"), ("9784003101018", "9784101010014", "9784061592872")
    return record(local_id, title=titles[number], isbn=isbns[number])


class Parted:
    """A book whose two records now describe two other books, each of which another record describes as well."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        for name, number in (("first", 1), ("second", 2), ("older", 0), ("younger", 0)):
            self.shelf.put(f"library {name}", name, book(name, number))
        self.first, self.second, self.number, _same = self.settled()
        self.older = self.shelf.put("library older", "older", book("older", 1))
        self.shelf.put("library younger", "younger", book("younger", 2))
        assert self.settled() == [self.first, self.second] * 2
        assert self.leads_to() == self.first

    def settled(self) -> list[int]:
        """Aggregate. Return the numbers of the records' books."""
        sum(aggregate_pending())
        return list(Member.objects.order_by("pk").values_list("manifestation", flat=True))

    def leads_to(self) -> int | None:
        """Return where the number of the parted book leads."""
        return follow([self.number]).get(self.number)

    def check(self) -> None:
        assert self.settled() == [self.first, self.second, self.second]
        assert self.leads_to() == self.second
        assert_numbers_lead_to_groups()


@pytest.fixture
def parted() -> Parted:
    made = Parted()
    assert list(Kind.objects.values_list("records", flat=True)) == [2, 2]  # so that a departure changes no core
    return made


def test_the_record_is_deleted_by_its_provider(parted: Parted) -> None:
    parted.shelf.delete("older")
    parted.check()


def test_the_record_is_withheld(parted: Parted) -> None:
    suppress(parted.older, "a test", "a person")
    parted.check()


def test_the_provider_of_the_record_is_erased(parted: Parted, settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path
    begin(parted.shelf.repository("library older"), None, "wish")
    erase_providers()
    parted.check()


def test_the_record_comes_back(parted: Parted) -> None:
    parted.shelf.delete("older")
    parted.check()
    parted.shelf.put("library older", "older", book("older", 1))
    parted.settled()
    assert parted.leads_to() == parted.first
    assert_numbers_lead_to_groups()


@seeds(6)
def test_numbers_follow_their_last_members_whatever_happens(seed: int) -> None:
    rng, shelf = random.Random(seed), Shelf()
    for _step in range(40):
        for _change in range(rng.randint(1, 4)):
            name = str(rng.randrange(8))
            if rng.random() < 0.3:
                shelf.delete(name)
            else:
                shelf.put(f"library {name}", name, book(name, rng.randrange(3)))
        sum(aggregate_pending(rng.choice([1, 2, 100])))
        assert_numbers_lead_to_groups()
