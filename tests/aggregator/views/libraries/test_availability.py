"""Whether a book can be borrowed now: the data for the script, the page without it, the links on a book's page."""

from dataclasses import dataclass

import pytest
from django.utils import timezone
from msgspec.structs import replace

from aggregator.libraries.holdings import Copy, pack_copies
from aggregator.models import AvailabilityAdapter, Holding, Library, Manifestation
from harvesting.records.compression import pack_encoded
from metadata.record import Identifier, Item
from tests.aggregator.availability.conftest import _no_answers, catalogue, daia, pool  # noqa: F401  (shared fixtures)
from tests.aggregator.views.shelf import KOKORO
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db
CENTRAL = "大阪府立中央図書館"
RECORD = replace(
    KOKORO,
    items=(Item(holding_agent=CENTRAL, library_code="2127"), Item(holding_agent="みなと図書館", library_code="2103")),
)


@dataclass
class Case:
    """A book that two libraries hold, of which the first can be asked."""

    book: Manifestation
    central: Library
    other: Library
    adapter: AvailabilityAdapter

    @property
    def page(self) -> str:
        return f"/books/M{self.book.pk}"

    @property
    def number(self) -> str:
        return f"L{self.central.pk}"

    @property
    def data(self) -> str:
        return f"{self.page}/availability.json?library={self.number}&library=L{self.other.pk}"


@pytest.fixture
def case(shelf, library, catalogue) -> Case:  # noqa: F811
    central, other = shelf.library(CENTRAL, "2127"), shelf.library("みなと図書館", "2103")
    book = shelf.book(shelf.record(library, RECORD), record=RECORD, libraries=[central, other])
    address = f"{catalogue.url}/daia?id={{isbn}}"
    return Case(book, central, other, AvailabilityAdapter.objects.create(library=central, kind="daia", address=address))


def test_the_data_say_what_is_known_and_who_is_being_asked(client, case, pool, catalogue):  # noqa: F811
    assert client.get(case.data).json() == {"libraries": {}, "asking": [case.number], "retry": 1}
    answer = client.get(case.data, headers={"accept-language": "ja"})
    said = answer.json()["libraries"][case.number]
    assert (said["state"], said["sign"], said["word"]) == ("available", "○", "貸出可")
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert [request.raw_path for request in catalogue.requests] == ["/daia?id=9784003101117"]


def test_what_a_reader_wants_to_know_is_said_in_words(client, case, pool, catalogue):  # noqa: F811
    catalogue.answers(daia(expected="2030-01-05", queue=2, href="https://opac.example.jp/reserve"))
    client.get(case.data)
    said = client.get(case.data, headers={"accept-language": "en"}).json()["libraries"][case.number]
    assert said["word"] == "Reserved"
    assert said["details"][:2] == ["due Jan. 5, 2030", "2 readers waiting"]
    assert said["href"] == "https://opac.example.jp/reserve"


def test_a_library_that_fails_is_unknown_with_the_reason(client, case, pool, catalogue):  # noqa: F811
    catalogue.answers(Answer(status=500))
    client.get(case.data)
    said = client.get(case.data, headers={"accept-language": "en"}).json()["libraries"][case.number]
    assert (said["state"], said["details"]) == ("unknown", ["The library’s system does not answer now."])


def test_the_number_in_the_librarys_own_record_is_asked_for(client, case, pool, catalogue, shelf, library):  # noqa: F811
    own = shelf.record(library, replace(RECORD, source_identifiers=(Identifier(scheme="x", value="BB1"),)))
    packed = pack_encoded(pack_copies([Copy(record=own.public_id)]))
    Holding.objects.filter(library=case.central).update(packed=packed)
    AvailabilityAdapter.objects.update(address=f"{catalogue.url}/daia?id={{identifier}}")
    client.get(case.data)
    assert catalogue.requests[0].arguments == {"id": "BB1"}


@pytest.mark.parametrize("change", [{"kind": ""}, {"library__closed_on": "2020-01-01"}, "setting"])
def test_nobody_is_asked_who_is_not_to_be_asked(client, case, pool, catalogue, settings, change):  # noqa: F811
    if change == "setting":
        settings.AVAILABILITY_MINUTES = 0
    for name, value in change.items() if isinstance(change, dict) else ():
        if name == "kind":
            AvailabilityAdapter.objects.update(kind=value)
        else:
            Library.objects.filter(pk=case.central.pk).update(**{name.removeprefix("library__"): value})
    assert client.get(case.data).json() == {"libraries": {}, "asking": [], "retry": 0}
    assert "availability" not in client.get(case.page).text
    assert catalogue.requests == []


def test_only_libraries_that_hold_the_book_are_asked(client, case, pool, catalogue, shelf, library):  # noqa: F811
    other = shelf.book(shelf.record(library))
    assert client.get(case.data.replace(case.page, f"/books/M{other.pk}")).json()["asking"] == []
    assert catalogue.requests == []


@pytest.mark.parametrize("query", ["library=x", "library=2127", "&".join(f"library=L{pk}" for pk in range(1, 13))])
def test_wrong_or_too_many_libraries_are_refused(client, case, query):
    assert client.get(f"{case.page}/availability.json?{query}").status_code == 400
    assert client.get(f"{case.page}/availability?{query}").status_code == 400


def test_unknown_books_are_not_found(client, case):
    assert client.get("/books/M987654321/availability.json").status_code == 404
    assert client.get("/books/M987654321/availability").status_code == 404


def test_a_number_out_of_use_leads_to_the_book_of_today(client, case, pool):  # noqa: F811
    Manifestation.objects.create(pk=7, successor=case.book, changed_at=timezone.now())
    assert client.get("/books/M7/availability")["Location"] == f"{case.page}/availability"
    assert client.get(case.data.replace(case.page, "/books/M7")).json()["asking"] == [case.number]


def test_readers_without_scripts_have_a_page(client, case, pool):  # noqa: F811
    english = {"accept-language": "en"}
    first = client.get(f"{case.page}/availability", headers=english).text
    assert "こころ" in first
    assert CENTRAL in first
    assert "みなと図書館" not in first
    assert "The library is being asked." in first
    assert "Check availability again" in first
    second = client.get(f"{case.page}/availability", headers=english).text
    assert "○</span> Available" in second
    assert "Check availability again" not in second


def test_a_book_that_nobody_can_be_asked_about_says_so(client, shelf, library):
    book = shelf.book(shelf.record(library))
    page = client.get(f"/books/M{book.pk}/availability", headers={"accept-language": "en"}).text
    assert "None of the libraries that hold this book report" in page


def test_the_page_of_a_book_asks_nobody_and_has_a_link_for_each_library_that_can_be_asked(
    client, case, pool, catalogue  # noqa: F811
):  # fmt: skip
    page = client.get(case.page).text
    assert page.count("data-availability=") == 1
    assert f'data-availability="{case.number}"><a href="{case.page}/availability?library={case.number}"' in page
    assert "js/availability.js" in page
    assert catalogue.requests == []


def test_a_cached_page_of_a_book_knows_when_a_library_opts_in_or_out(client, case):
    assert "data-availability=" in client.get(case.page).text
    AvailabilityAdapter.objects.update(kind="")
    assert "data-availability=" not in client.get(case.page).text
    AvailabilityAdapter.objects.update(kind="json")
    assert "data-availability=" in client.get(case.page).text


def test_queries_do_not_grow_with_libraries(client, case, shelf, pool, django_assert_max_num_queries):  # noqa: F811
    libraries = [shelf.library(f"図書館{number}", f"99{number:02}") for number in range(9)]
    for one in libraries:
        Holding.objects.create(manifestation=case.book, library=one)
        AvailabilityAdapter.objects.create(library=one, kind="daia", address=case.adapter.address)
    pool.full = True
    asked = "&".join(f"library=L{one.pk}" for one in [case.central, *libraries])
    with django_assert_max_num_queries(7):
        assert len(client.get(f"{case.page}/availability.json?{asked}").json()["asking"]) == 10


def test_requests_count_against_the_budget_of_the_network(client, case, pool, settings):  # noqa: F811
    settings.TRUSTED_PROXIES, settings.SEARCH_RATE, settings.SEARCH_BURST = ["127.0.0.1"], 0.01, 0.3
    reader = {"headers": {"X-Forwarded-For": "8.8.8.8"}, "REMOTE_ADDR": "127.0.0.1"}
    statuses = [client.get(case.data, **reader).status_code for _request in range(2)]
    assert statuses[-1] == 429


def test_the_interface_of_a_merged_library_answers_for_the_library_that_it_is_now(client, case, pool, catalogue):  # noqa: F811
    Holding.objects.filter(library=case.central).delete()
    Library.objects.filter(pk=case.central.pk).update(merged_into=case.other)
    address = f"{case.page}/availability.json?library=L{case.other.pk}"
    assert client.get(address).json()["asking"] == [f"L{case.other.pk}"]
    assert client.get(address).json()["libraries"][f"L{case.other.pk}"]["state"] == "available"
    assert f'data-availability="L{case.other.pk}"' in client.get(case.page).text
    AvailabilityAdapter.objects.create(library=case.other, kind="")  # switched off: the other one is not asked for it
    assert client.get(address).json() == {"libraries": {}, "asking": [], "retry": 0}


def test_a_closed_library_is_not_asked_by_the_interface_of_one_that_was_merged_into_it(client, case, pool):  # noqa: F811
    Library.objects.filter(pk=case.central.pk).update(merged_into=case.other)
    Library.objects.filter(pk=case.other.pk).update(closed_on=timezone.localdate())
    answer = client.get(f"{case.page}/availability.json?library=L{case.other.pk}").json()
    assert (answer["libraries"], answer["asking"]) == ({}, [])
