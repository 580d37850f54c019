"""Fields of a library that people fill in, and fields that they leave to the records again."""

import pytest
from msgspec import structs

from aggregator.libraries.editing.changes import ChangedMeanwhile, change, fingerprint, give_back, recorded_values
from aggregator.models import Library, LibraryCode, LibraryName
from metadata.record import Item
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db
ITEM = Item(holding_agent="中央図書館", holding_agent_transcription="チュウオウ トショカン", library_code="2127")


@pytest.fixture
def library() -> Library:
    shelf = Shelf()
    shelf.put("ゆにかねっと", "1", structs.replace(record("1", title="こころ"), items=(ITEM,)))
    match_and_merge()
    return Library.objects.get()


def typed(library: Library, **values: object) -> None:
    library.refresh_from_db()
    change(library.pk, fingerprint(library), values, None)


def given_back(library: Library, field: str) -> None:
    library.refresh_from_db()
    give_back(library.pk, fingerprint(library), field, None)
    match_and_merge()
    library.refresh_from_db()


def test_a_name_and_a_reading_given_back_are_those_of_the_records(library) -> None:
    typed(library, name="本館", reading="ホンカン")
    given_back(library, "name")
    given_back(library, "reading")
    assert (library.name, library.reading, library.edited) == ("中央図書館", "チュウオウ トショカン", [])


def test_a_provider_that_is_the_library_says_its_name_and_page(library) -> None:
    LibraryName.objects.all().delete()
    LibraryCode.objects.create(library=library, scheme="provider", value="R000000001")
    typed(library, name="本館", page="https://typed.example/")
    given_back(library, "name")
    given_back(library, "page")
    assert (library.name, library.page) == ("ゆにかねっと", "")
    assert recorded_values(library.pk).is_provider


def test_a_library_that_nothing_names_is_called_by_its_code(library) -> None:
    LibraryName.objects.all().delete()
    assert recorded_values(library.pk).values["name"] == "2127"


def test_whatever_changes_changes_the_fingerprint(library) -> None:
    before = {fingerprint(library)}
    for values in ({"telephone": "06-1"}, {"latitude": 34.5}, {"lends": False}, {"parent": None}, {"name": "本館"}):
        typed(library, **values)
        library.refresh_from_db()
        before.add(fingerprint(library))
    assert len(before) == 6


def test_a_library_that_is_gone_or_changed_is_not_changed(library) -> None:
    for seen in ("", "0" * 24):
        with pytest.raises(ChangedMeanwhile):
            change(library.pk, seen, {"telephone": "06-1"}, None)
    with pytest.raises(ChangedMeanwhile):
        give_back(library.pk + 1, fingerprint(library), "name", None)
