"""What becomes of libraries, holdings and addresses of books when a provider is erased; staff are shown this before."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from msgspec import structs

from aggregator.erasing.begin import begin
from aggregator.erasing.libraries import LibraryPreview, erase, preview
from aggregator.libraries.editing.merging import merge, seen_of
from aggregator.libraries.editing.questions import answer_names
from aggregator.models import Erasure, Holding, Library, LibraryAnswer, LibraryCode, LibraryName
from aggregator.tasks import erase_providers
from harvesting.models import SourceRecord
from metadata.record import Item
from tests.aggregator.shelves import Shelf, book_id, match_and_merge
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


def erased_completely(shelf: Shelf, provider: str) -> None:
    """Erase as the worker does; only the database file is not rewritten, because a test runs in a transaction."""
    begin(shelf.repository(provider), None, "left")
    erase_providers()


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


def test_a_library_that_is_known_by_its_code_only_goes_too(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(library_code="2127"))
    put(shelf, "b", "2", Item(library_code="2140"))
    match_and_merge()
    erased_completely(shelf, "a")
    assert LibraryCode.objects.filter(scheme="NDLLibCode").values_list("value", flat=True).get() == "2140"
    assert Erasure.objects.get().libraries == []


def test_other_providers_holdings_at_the_same_library_stay_with_their_links(shelf: Shelf) -> None:
    for provider in ("a", "b"):
        item = Item(holding_agent="中央図書館", library_code="2127", see_also=(f"https://{provider}.example.jp/1",))
        put(shelf, provider, provider, item)
    SourceRecord.objects.update(record=SourceRecord.objects.get(identifier="b").record)  # both now describe one book
    put(shelf, "a", "a", Item(holding_agent="中央図書館", library_code="2127", see_also=("https://a.example.jp/1",)))
    match_and_merge()
    erased_completely(shelf, "a")
    assert Holding.objects.values_list("library__name", "link", "copies").get() == (
        "中央図書館",
        "https://b.example.jp/1",
        1,
    )


def test_a_library_that_people_completed_stays_without_a_book(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="中央図書館", library_code="2127"))
    match_and_merge()
    Library.objects.update(address="大阪府東大阪市", edited=["address"])
    erased_completely(shelf, "a")
    library = Library.objects.get()
    assert (library.name, library.address, library.holdings) == ("2127", "大阪府東大阪市", 0)


def test_a_provider_that_is_a_library_itself_leaves_only_what_people_filled_in(shelf: Shelf) -> None:
    put(shelf, "a", "1")
    match_and_merge()
    Library.objects.update(address="大阪府", edited=["address"], page="https://a.example.jp/")
    erased_completely(shelf, "a")
    library = Library.objects.get()
    assert (library.name, library.address, library.page) == (f"L{library.pk}", "大阪府", "")


def test_another_provider_that_is_a_library_itself_keeps_its_name(shelf: Shelf) -> None:
    put(shelf, "a", "1")
    put(shelf, "b", "1b")
    match_and_merge()
    erased_completely(shelf, "a")
    assert Library.objects.get().name == "b"


def test_a_library_that_people_merged_stays_so_that_its_codes_stay(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="秘密の名前", library_code="2127"))
    put(shelf, "b", "2", Item(holding_agent="中央図書館", library_code="2140"))
    match_and_merge()
    merged, into = Library.objects.order_by("pk")
    Library.objects.filter(pk=merged.pk).update(merged_into=into)
    LibraryCode.objects.filter(library=merged).update(library=into, own=merged)
    erased_completely(shelf, "a")
    assert set(into.codes.values_list("value", flat=True)) == {"2127", "2140"}
    assert Library.objects.get(pk=merged.pk).name == "2127"


def test_a_library_with_branches_stays(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="中央図書館", library_code="2127"))
    match_and_merge()
    parent = Library.objects.get()
    Library.objects.create(name="分館", parent=parent, edited=["name", "parent"])
    erased_completely(shelf, "a")
    assert Library.objects.get(name="分館").parent == parent


def test_addresses_of_its_books_answer_410_and_those_of_shared_books_stay(shelf: Shelf, client: Client) -> None:
    own = shelf.put("a", "1", record("1", title="三四郎"))
    both = [
        shelf.put(provider, provider, record(provider, title="坊っちゃん", isbn="9784003101018")) for provider in "ab"
    ]
    match_and_merge()
    gone, stays = book_id(own), book_id(both[1])
    erased_completely(shelf, "a")
    answers = [client.get(f"/books/{name}").status_code for name in (gone, own.public_id, both[0].public_id)]
    assert answers == [410, 410, 410]
    assert client.get(f"/books/{stays}").status_code == 200


def test_the_preview_counts_what_goes_and_what_stays(shelf: Shelf) -> None:
    put(shelf, "a", "1", Item(holding_agent="消える図書館", library_code="2101"), Item(library_code="2102"))
    put(shelf, "a", "2", Item(holding_agent="補われた図書館", library_code="2103"))
    put(shelf, "a", "3", Item(holding_agent="ほかも所蔵する図書館", library_code="2104"))
    put(shelf, "b", "4", Item(library_code="2104"))
    for provider in "ab":
        shelf.put(provider, f"{provider}5", record(f"{provider}5", title="坊っちゃん", isbn="9784003101018"))
    match_and_merge()
    Library.objects.filter(name="補われた図書館").update(edited=["name"])
    expected = LibraryPreview(books=3, shared=1, holdings=4, deleted=2, empty=1, held=2)
    assert preview(shelf.repository("a")) == expected
    numbers = set(Library.objects.values_list("pk", flat=True))
    erased_completely(shelf, "a")
    assert len(numbers) - Library.objects.count() == expected.deleted
    assert Library.objects.filter(holdings=0).count() == expected.empty


def test_the_page_shows_the_numbers_before(shelf: Shelf, client: Client) -> None:
    put(shelf, "a", "1", Item(holding_agent="消える図書館", library_code="2101"))
    match_and_merge()
    client.force_login(get_user_model().objects.create_superuser("chief"))
    page = client.get(f"/manage/providers/{shelf.repository('a').number}/erase", headers={"accept-language": "en"}).text
    assert "1 book that no other provider describes" in page and "(1 holding)" in page
    assert "1 library that is known from its records only, with its codes" in page
