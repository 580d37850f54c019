"""A site of a release whose work keys did not begin with a hash of the title gets new ones, batch by batch."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import call_command

from aggregator.grouping.aggregate import aggregate_batch
from aggregator.matching import VERSION
from aggregator.matching.groups import works
from aggregator.models import Core, Kind, Manifestation, Member, WorkKey
from harvesting.models import SourceRecord
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf, assert_alarms_are_correct, assert_works_are_correct, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db
EDITIONS = 3
migration = import_module("aggregator.migrations.0049_keys_of_works")


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Two works of three editions, a book, and a common title, which makes no work, as an old release left them."""
    monkeypatch.setattr(works, "FORMS_AT_MOST", EDITIONS)
    shelf = Shelf()
    for title in ("こころ", "料理入門"):
        for number in range(EDITIONS):
            shelf.put("library", f"{title}{number}", edition(title, number))
    shelf.put("library", "single", record("single", title="星の本", creator="星野, 一"))
    for number in range(EDITIONS + 1):
        shelf.put("library", f"common{number}", record("common", title=f"報告 : 第{number}部会"))
    with monkeypatch.context() as old:
        old.setattr(works, "_OWN_BITS", -1)  # the whole key was one hash
        match_and_merge()
    Kind.objects.update(version=VERSION - 1)
    Core.objects.update(matcher=0)  # as of another version
    return shelf


def edition(title: str, number: int) -> BibliographicRecord:
    return record(title, title=title, isbn=f"97840{len(title)}1010{number}00", issued=f"19{number}5")


def stored_keys() -> set[int]:
    return set(WorkKey.objects.values_list("key", flat=True))


def works_of_books() -> dict[int, int | None]:
    return dict(Manifestation.objects.values_list("pk", "work"))


@pytest.mark.parametrize("size", [1, 2, 100])
def test_all_keys_are_made_anew_and_the_works_stay(shelf: Shelf, size: int) -> None:
    keys, before = stored_keys(), works_of_books()
    assert len({work for work in before.values() if work is not None}) == 2
    migration.match_again(apps, None)
    while aggregate_batch(size):
        pass
    assert keys.isdisjoint(stored_keys())
    assert works_of_books() == before
    assert_works_are_correct()
    assert_alarms_are_correct()


def test_a_new_edition_joins_its_work_in_the_end(shelf: Shelf) -> None:
    migration.match_again(apps, None)
    new = shelf.put("library", "new", edition("こころ", EDITIONS))
    aggregate_batch(1)
    SourceRecord.objects.exclude(pk=new.pk).update(aggregated_at=new.changed_at)
    aggregate_batch(1)  # the new edition and the first one have other keys than the rest of their work
    shelf.delete("料理入門0")
    migration.match_again(apps, None)
    while aggregate_batch(2):
        pass
    work = Member.objects.get(source_record=new).manifestation.work
    assert Manifestation.objects.filter(work=work).count() == EDITIONS + 1
    assert_works_are_correct()
    assert_alarms_are_correct()


@pytest.mark.parametrize("options", [{}, {"since_version": VERSION}])
def test_a_rematch_makes_them_anew_too(shelf: Shelf, options: dict[str, int]) -> None:
    keys, before = stored_keys(), works_of_books()
    call_command("rematch", **options)
    assert keys.isdisjoint(stored_keys())
    assert works_of_books() == before
    assert_works_are_correct()
