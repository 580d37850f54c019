"""Staff set how a library is asked for availability, try it with a book, and see how asking has gone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aggregator.libraries.numbers import library_number
from aggregator.models import AvailabilityAdapter, Library
from harvesting.models import AuditEntry
from tests.aggregator.availability.conftest import catalogue, daia  # noqa: F401  (shared fixtures)
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db
ADDRESS = "https://opac.example.jp/daia?id={isbn}"


@pytest.fixture
def central(shelf) -> Library:
    return shelf.library("大阪府立中央図書館", "2127")


def page(library: Library) -> str:
    return f"/manage/libraries/{library_number(library.pk)}/availability"


def test_settings_are_stored_with_an_entry_in_the_audit_trail(staff, central):
    form = {"kind": "json", "address": ADDRESS, "items": "copies", "status": "state", "on_loan": "貸出中、延滞"}
    assert staff.post(page(central), form).status_code == 302
    row = AvailabilityAdapter.objects.get(library=central)
    assert (row.kind, row.address) == ("json", ADDRESS)
    assert row.declared == {"items": "copies", "status": "state", "on_loan": "貸出中、延滞"}
    assert AuditEntry.objects.get(action="library.availability").details["items"] == "copies"
    shown = staff.get(page(central)).text
    assert "貸出中、延滞" in shown
    assert "not asked so far" in shown


def test_changed_settings_are_tried_anew(staff, central):
    paused = {"failures": 5, "paused_until": timezone.now() + timedelta(hours=1)}
    AvailabilityAdapter.objects.create(library=central, kind="daia", address=ADDRESS, **paused)
    staff.post(page(central), {"kind": "daia", "address": ADDRESS})
    assert AvailabilityAdapter.objects.get().failures == 5
    staff.post(page(central), {"kind": "daia", "address": f"{ADDRESS}&x=1"})
    row = AvailabilityAdapter.objects.get()
    assert (row.failures, row.paused_until) == (0, None)


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"kind": "daia"}, "address"),
        ({"kind": "daia", "address": "ftp://x/{isbn}"}, "address"),
        ({"kind": "daia", "address": "https://{isbn}.example.jp/"}, "address"),
        ({"kind": "json", "address": ADDRESS}, "status"),
        ({"kind": "json", "address": ADDRESS, "status": "a..b"}, "status"),
        ({"kind": "xml", "address": ADDRESS}, "kind"),
    ],
)
def test_wrong_settings_are_refused_at_their_field(staff, central, form, field):
    answer = staff.post(page(central), form)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert not AvailabilityAdapter.objects.exists()


def test_a_trial_shows_what_readers_would_see_and_stores_nothing(staff, central, shelf, library, catalogue):  # noqa: F811
    shelf.book(shelf.record(library), libraries=[central])
    catalogue.answers(daia(expected="2030-01-05", href="https://opac.example.jp/1"))
    form = {"kind": "daia", "address": f"{catalogue.url}/daia?id={{isbn}}", "try": "1"}
    shown = staff.post(page(central), form).text
    assert f'<code class="break">{catalogue.url}/daia?id=9784003101117</code>' in shown
    assert '<a class="now on_loan out" href="https://opac.example.jp/1"' in shown
    assert "On loan" in shown
    assert "due Jan. 5, 2030" in shown
    assert not AvailabilityAdapter.objects.exists()


def test_a_trial_with_any_book_says_what_is_wrong_and_what_to_do(staff, central, shelf, library, catalogue):  # noqa: F811
    book = shelf.book(shelf.record(library))
    catalogue.answers(Answer(b"<html/>"), Answer(status=503))
    form = {"kind": "daia", "address": f"{catalogue.url}/?id={{isbn}}", "book": f"M{book.pk}", "try": "1"}
    assert (
        "is not in DAIA format: it has no documents. If the interface answers in JSON"
        in staff.post(page(central), form).text
    )
    assert "the library is asked again later" in staff.post(page(central), form).text


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "No holdings are known for this library yet."),
        ({"book": "x"}, "The number of a book is M and digits"),
        ({"book": "M987654321"}, "No address can be made for this book"),
    ],
)
def test_a_trial_without_a_usable_book_asks_nobody(staff, central, catalogue, values, words):  # noqa: F811
    form = {"kind": "daia", "address": f"{catalogue.url}/?id={{isbn}}", "try": "1", **values}
    assert words in staff.post(page(central), form).text
    assert catalogue.requests == []


def test_the_list_shows_the_libraries_that_fail_first(staff, central, shelf):
    well = shelf.library("みなと図書館", "2103")
    now = timezone.now()
    AvailabilityAdapter.objects.create(library=well, kind="daia", address=ADDRESS, answered_at=now)
    failed = {"failures": 4, "failed_at": now, "failure": "http.500", "facts": {"url": "https://opac.example.jp/1"}}
    AvailabilityAdapter.objects.create(
        library=central, kind="daia", address=ADDRESS, paused_until=now + timedelta(minutes=5), **failed
    )
    shown = staff.get("/manage/libraries/availability").text
    assert shown.index("大阪府立中央図書館") < shown.index("みなと図書館")
    assert "paused after failures" in shown
    assert "https://opac.example.jp/1" in shown
    assert "Not asked until" in shown


def test_a_library_is_found_by_number_or_code(staff, central):
    for text in (f"L{central.pk}", "2127"):
        assert staff.get("/manage/libraries/availability", {"library": text})["Location"] == page(central)
    assert staff.get("/manage/libraries/availability", {"library": "nowhere"}).status_code == 400


def test_a_library_that_was_merged_has_no_settings(staff, central, shelf):
    gone = shelf.library("旧館", "2199", merged_into=central)
    assert staff.get(page(gone)).status_code == 404


def test_librarians_cannot_change_it(librarian, central):
    assert librarian.get(page(central)).status_code == 403
    assert librarian.post(page(central), {"kind": ""}).status_code == 403


def test_libraries_that_keep_failing_are_a_task_for_staff_and_counted_in_the_metrics(staff, central):
    assert "asked for availability" not in staff.get("/manage/").text
    until = timezone.now() + timedelta(minutes=5)
    AvailabilityAdapter.objects.create(library=central, kind="daia", address=ADDRESS, failures=3, paused_until=until)
    assert "1 library keeps failing when asked for availability" in staff.get("/manage/").text
    metrics = staff.get("/metrics").text
    assert 'aggregator_availability_adapters{state="paused"} 1.0' in metrics
    assert 'aggregator_availability_adapters{state="answers"} 0.0' in metrics
