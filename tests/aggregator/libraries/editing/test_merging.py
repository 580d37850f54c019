"""Libraries that prove to be one are merged, and parted again: codes, fields, branches and holdings are as before."""

import random
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from msgspec import structs

from aggregator.jobs import MERGING
from aggregator.libraries.editing.changes import ChangedMeanwhile, change, fingerprint
from aggregator.libraries.editing.codes import CodeRefused, add_code
from aggregator.libraries.editing.merging import MergeRefused, held_by_both, mark_moved_books, merge, seen_of, undo
from aggregator.libraries.identify import Code
from aggregator.models import Holding, Library, LibraryCode, LibraryMerge, LibraryName, Manifestation
from harvesting.models import AuditEntry
from metadata.record import BibliographicRecord, Item
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
CODES = ("2101", "2102", "2103", "2104")


def copy(name: str, code: str, title: str) -> BibliographicRecord:
    item = Item(uri=f"https://union.example/{name}", library_code=code, holding_agent=f"図書館{code}")
    return structs.replace(record(name, title=title), items=(item,))


@pytest.fixture
def shelf() -> Shelf:
    """Four libraries with books of their own and books that several of them hold."""
    shelf = Shelf()
    held = {"坊っちゃん": CODES, "こころ": CODES[:2], "三四郎": CODES[2:], "門": CODES[:1], "草枕": CODES[3:]}
    for title, codes in held.items():
        for code in codes:
            shelf.put("ゆにかねっと", f"{title}-{code}", copy(f"{title}-{code}", code, title))
    match_and_merge()
    return shelf


def of(code: str) -> Library:
    return Library.objects.get(name=f"図書館{code}")


def join(library: Library, into: Library, taken: tuple[str, ...] = ()) -> LibraryMerge:
    library.refresh_from_db()
    into.refresh_from_db()
    merge(library.pk, into.pk, seen_of(library, into), taken, None)
    return LibraryMerge.objects.in_force().get(library=library)


def state() -> dict[str, Any]:
    """Everything about libraries, apart from the records of their merging."""
    holdings = ("manifestation", "library", "copies", "link", "link_kind")
    return {
        "libraries": list(Library.objects.order_by("pk").values()),
        "codes": list(LibraryCode.objects.order_by("pk").values()),
        "names": sorted(LibraryName.objects.values_list("library", "repository", "name")),
        "holdings": sorted(Holding.objects.values_list(*holdings)),
    }


def test_the_books_of_both_are_those_of_one_after_merging(shelf) -> None:
    first, second = of("2101"), of("2102")
    books = set(Holding.objects.filter(library__in=(first, second)).values_list("manifestation", flat=True))
    join(second, first)
    match_and_merge()
    assert set(Holding.objects.filter(library=first).values_list("manifestation", flat=True)) == books
    assert not Holding.objects.filter(library=second).exists()
    assert Library.objects.get(pk=first.pk).holdings == len(books)
    assert Library.objects.get(pk=second.pk).holdings == 0


@seeds(5, always=2)
def test_whatever_is_merged_and_undone_in_any_order_all_is_as_before(shelf, seed) -> None:
    """Merges form chains, concern parents and branches, and take fields; between merges, books are merged or wait."""
    rng = random.Random(seed)
    rows = list(Library.objects.order_by("pk"))
    Library.objects.filter(pk=rows[1].pk).update(parent=rows[0], telephone="06-1", edited=["telephone"])
    Library.objects.filter(pk=rows[2].pk).update(parent=rows[1], address="見本市", latitude=34.5, longitude=135.5)
    before, made = state(), []
    for _step in range(3):
        current = list(Library.objects.current().order_by("pk"))
        library, into = rng.sample(current, 2)
        made.append(join(library, into, ("name", "telephone", "address", "latitude")))
        if rng.random() < 0.5:
            match_and_merge()
    match_and_merge()
    assert Holding.objects.values("library").distinct().count() == 1
    for row in reversed(made):
        undo(row.pk, None)
        if rng.random() < 0.5:
            match_and_merge()
    match_and_merge()
    assert state() == before


def test_the_first_of_a_chain_is_parted_from_the_last(shelf) -> None:
    first, second, third = of("2101"), of("2102"), of("2103")
    inner = join(first, second)
    join(second, third)
    match_and_merge()
    undo(inner.pk, None)
    match_and_merge()
    assert LibraryCode.objects.get(value="2101").library == first
    assert LibraryCode.objects.get(value="2102").library == third
    assert Library.objects.get(pk=first.pk).holdings == 3
    assert not Holding.objects.filter(library=second).exists()


def test_a_field_that_was_changed_since_stays_when_the_merging_is_undone(shelf) -> None:
    first, second = of("2101"), of("2102")
    Library.objects.filter(pk=second.pk).update(telephone="06-1", address="見本市")
    made = join(second, first, ("telephone", "address"))
    first.refresh_from_db()
    change(first.pk, fingerprint(first), {"telephone": "06-2"}, None)
    undo(made.pk, None)
    first.refresh_from_db()
    assert (first.telephone, first.address, first.edited) == ("06-2", "", ["telephone"])


def test_a_branch_stays_with_the_library_that_was_parted(shelf) -> None:
    first, second, branch = of("2101"), of("2102"), of("2103")
    Library.objects.filter(pk=branch.pk).update(parent=second)
    made = join(second, first)
    branch.refresh_from_db()
    assert branch.parent == first
    undo(made.pk, None)
    branch.refresh_from_db()
    assert branch.parent == second


def test_a_library_that_is_merged_into_its_branch_is_not_above_it(shelf) -> None:
    top, middle, low = of("2101"), of("2102"), of("2103")
    Library.objects.filter(pk=middle.pk).update(parent=top)
    Library.objects.filter(pk=low.pk).update(parent=middle)
    join(top, low)
    assert dict(Library.objects.filter(pk__in=(middle.pk, low.pk)).values_list("pk", "parent")) == {
        middle.pk: low.pk,
        low.pk: None,
    }


def test_what_somebody_has_changed_meanwhile_is_not_merged(shelf) -> None:
    first, second = of("2101"), of("2102")
    seen = seen_of(second, first)
    Library.objects.filter(pk=first.pk).update(telephone="06-1")
    with pytest.raises(ChangedMeanwhile):
        merge(second.pk, first.pk, seen, (), None)
    assert not LibraryMerge.objects.exists()


def test_a_library_is_merged_once_and_gets_no_codes_then(shelf) -> None:
    first, second, third = of("2101"), of("2102"), of("2103")
    join(second, first)
    for library, into in ((second, third), (third, second), (first, first)):
        with pytest.raises(MergeRefused):
            join(library, into)
    with pytest.raises(CodeRefused):
        add_code(second, Code("ISIL", "JP-1"), None)


def test_books_are_marked_again_after_a_crash_and_by_the_dispatcher(shelf) -> None:
    """Merging is committed before its books are marked; the mark that they wait for outlasts the process."""
    first, second = of("2101"), of("2102")
    made = join(second, first)
    assert not Manifestation.objects.to_merge().exists()
    assert MERGING.waiting()
    assert mark_moved_books() > 0
    made.refresh_from_db()
    assert made.settled
    assert mark_moved_books() == 0


def test_books_that_both_hold_are_counted(shelf) -> None:
    assert held_by_both(of("2101"), of("2102")) == 2
    assert held_by_both(of("2102"), of("2103")) == 1


def test_merging_and_undoing_are_in_the_audit_trail(shelf) -> None:
    person = get_user_model().objects.create(username="taro")
    first, second = of("2101"), of("2102")
    merge(second.pk, first.pk, seen_of(second, first), (), person)
    undo(LibraryMerge.objects.get().pk, person)
    entries = list(AuditEntry.objects.order_by("pk").values_list("name", "action", "about"))
    assert entries == [("taro", "library.merged", second.name), ("taro", "library.unmerged", second.name)]
