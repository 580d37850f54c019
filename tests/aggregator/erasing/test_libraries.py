"""Erasing a provider erases what only its records say about libraries."""

import pytest
from msgspec import structs

from aggregator.erasing.libraries import erase
from aggregator.libraries.editing.merging import merge, seen_of
from aggregator.libraries.editing.questions import answer_names
from aggregator.models import Library, LibraryAnswer, LibraryCode, LibraryName
from metadata.record import Item
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def put(shelf: Shelf, provider: str, name: str, *items: Item) -> None:
    shelf.put(provider, name, structs.replace(record(name, title=f"本{name}"), items=items))


def erased(shelf: Shelf, provider: str, *names: str) -> None:
    match_and_merge()
    for name in names:
        shelf.delete(name)
    match_and_merge()
    erase(shelf.repository(provider))


def test_libraries_that_only_its_records_name_are_deleted(shelf: Shelf) -> None:
    put(shelf, "a", "1")
    put(shelf, "a", "2", Item(holding_agent="見本図書館"))
    put(shelf, "a", "3", Item(holding_agent="中央図書館", library_code="2127"))
    erased(shelf, "a", "1", "2", "3")
    assert not Library.objects.exists() and not LibraryCode.objects.exists() and not LibraryName.objects.exists()


def test_a_library_that_others_report_loses_the_name_that_only_the_provider_gave(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="秘密の名前", holding_agent_transcription="ヒミツ", library_code="2127"))
    put(shelf, "b", "2", Item(holding_agent="中央図書館", library_code="2127"))
    erased(shelf, "a", "1")
    assert Library.objects.values_list("name", "reading", "holdings").get() == ("中央図書館", "", 1)


def test_a_reading_goes_although_another_provider_gave_the_name(shelf: Shelf) -> None:
    put(shelf, "b", "2", Item(holding_agent="中央図書館", library_code="2127"))
    match_and_merge()
    put(shelf, "a", "1", Item(holding_agent="秘密の名前", holding_agent_transcription="ヒミツ", library_code="2127"))
    erased(shelf, "a", "1")
    assert Library.objects.values_list("name", "reading", "holdings").get() == ("中央図書館", "", 1)


def test_a_library_without_another_name_is_called_by_its_code(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="秘密の名前", library_code="2127"))
    put(shelf, "b", "2", Item(library_code="2127"))
    erased(shelf, "a", "1")
    assert Library.objects.values_list("name", flat=True).get() == "2127"


def test_what_people_filled_in_stays(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="中央図書館", library_code="2127"))
    match_and_merge()
    Library.objects.update(name="大阪府立中央図書館", edited=["name"])
    erased(shelf, "a", "1")
    assert Library.objects.get().name == "大阪府立中央図書館"


def test_the_codes_of_a_merged_library_stay_with_the_library_that_has_them(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="秘密の名前", library_code="2127"))
    put(shelf, "b", "2", Item(library_code="2127"))
    put(shelf, "b", "3", Item(holding_agent="中央図書館", library_code="2128"))
    match_and_merge()
    old, into = (LibraryCode.objects.get(value=code).library for code in ("2127", "2128"))
    merge(old.pk, into.pk, seen_of(old, into), (), None)
    erased(shelf, "a", "1")
    assert LibraryCode.objects.get(value="2127").library == into
    assert Library.objects.get(pk=old.pk).name == "2127"


def test_answers_that_hold_names_go(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="秘密の名前", library_code="2127"))
    put(shelf, "b", "2", Item(library_code="2127"))
    match_and_merge()
    answer_names(Library.objects.get(), "one", ["秘密の名前"], None)
    erased(shelf, "a", "1")
    assert not LibraryAnswer.objects.exists()
