"""From the button on a holding to a request that was sent."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from msgspec import structs

from aggregator.loan_desk.packing import request_of
from aggregator.models import Holding, Library, Loan, LoanTerms, Manifestation
from harvesting.records.compression import pack_record
from tests.aggregator.loan_desk.desks import Desks, library
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db


def form(client: Client, manifestation: Manifestation, desks: Desks, **values: Any) -> Any:
    """Open the form, change values, and send it."""
    address = f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}"
    shown = client.get(address).context["form"]
    posted = {name: value for name, value in shown.initial.items() if name in shown.fields and value}
    given = {"book": f"M{manifestation.pk}", "library": str(desks.lender.pk), "lender": str(desks.lender.pk)}
    return client.post("/loans/new", {**posted, "kind": "loan", **given, "do": "send", **values}, follow=True)


def test_the_button_is_for_members_of_other_libraries_only(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    page, other = f"/books/M{manifestation.pk}", get_user_model().objects.create_user("other")
    button = f"/loans/new?book=M{manifestation.pk}&amp;library=L{desks.lender.pk}"
    assert button in enter(desks.hana).get(page).content.decode()
    for client in (Client(), enter(other)):
        assert "/loans/new" not in client.get(page).content.decode()
    own = enter(desks.ken).get(page).content.decode()
    assert "/loans/new" not in own and "your own library" in own


def test_the_button_of_a_library_that_only_copies_says_so(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    Library.objects.filter(pk=desks.lender.pk).update(lends=False)
    LoanTerms.objects.update(copies=True)
    html = enter(desks.hana).get(f"/books/M{manifestation.pk}").content.decode()
    assert "kind=copy" in html and "Request a copy" in html and "does not lend to other libraries" in html


def test_the_page_of_a_book_costs_readers_no_query_for_the_button(desks: Desks, manifestation: Manifestation) -> None:
    with CaptureQueriesContext(connection) as queries:
        Client().get(f"/books/M{manifestation.pk}")
    assert not [query for query in queries.captured_queries if "librarymember" in query["sql"]]


def test_the_form_is_filled_from_the_book_and_sent(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    response = form(enter(desks.hana), manifestation, desks, number="2026-1")
    loan = Loan.objects.get()
    request = request_of(loan)
    assert (response.status_code, loan.state, loan.borrower, loan.lender) == (
        200, "requested", desks.borrower, desks.lender)  # fmt: skip
    assert (request.call_number, request.location) == ("913.6", "2階")
    assert (request.title, request.reading, request.author, request.isbns, request.number) == (
        "こころ", "ココロ", "夏目漱石", ("9784003101117",), "2026-1")  # fmt: skip
    assert request.source.endswith(f"/books/M{manifestation.pk}")


def test_a_draft_is_edited_and_sent(desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]) -> None:
    client = enter(desks.hana)
    form(client, manifestation, desks, do="draft")
    loan = Loan.objects.get()
    assert loan.state == "draft"
    shown = client.get(f"/loans/{loan.pk}/edit").context["form"]
    posted = {name: value for name, value in shown.initial.items() if name in shown.fields and value}
    client.post(f"/loans/{loan.pk}/edit", {**posted, "title": "門", "do": "send"})
    loan.refresh_from_db()
    assert (loan.state, request_of(loan).title) == ("requested", "門")
    assert client.get(f"/loans/{loan.pk}/edit").status_code == 404


def test_libraries_are_offered_in_the_order_of_asking_with_their_rank(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    Library.objects.filter(pk__in=[desks.borrower.pk, desks.lender.pk]).update(prefecture="27")
    for name, values in {
        "国会": {"kind": "national"},
        "堺の別館": {"municipality": "27140", "prefecture": "27"},
    }.items():
        Holding.objects.create(manifestation=manifestation, library=library(name, name, **values), copies=1)
    Library.objects.filter(pk=desks.borrower.pk).update(municipality="27140")
    client = enter(desks.hana)
    places = client.get(f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}").context["places"]
    assert [(place.name, place.rank, place.chosen) for place in places] == [
        ("堺の別館", "same municipality", False),
        ("Osaka Library", "same prefecture", True),
        ("国会", "National Diet Library", False),
    ]


def test_the_queue_is_kept_and_another_lender_brings_its_own_call_number(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    other = library("京都府立図書館", "2001")
    Holding.objects.create(manifestation=manifestation, library=other, copies=1)
    form(enter(desks.hana), manifestation, desks, lender=str(other.pk), queue=[str(desks.lender.pk)], call_number="x")
    loan = Loan.objects.get()
    assert (loan.lender, loan.queue, request_of(loan).call_number) == (other, [desks.lender.pk], "")


def test_what_is_no_library_in_the_queue_is_left_out(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    wrong = ["9" * 5000, "9" * 19, "²", "-1", "٣"]
    assert form(enter(desks.hana), manifestation, desks, queue=[*wrong, "7"]).status_code == 200
    assert Loan.objects.get().queue == [7]


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"title": ""}, "title"),
        ({"kind": "copy"}, "pages"),
        ({"kind": "copy", "pages": "1-2"}, "copyright_declared"),
        ({"needed_by": (timezone.localdate() - timedelta(days=1)).isoformat()}, "needed_by"),
    ],
)
def test_what_is_missing_is_said(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client], values: dict[str, str], wrong: str
) -> None:
    response = form(enter(desks.hana), manifestation, desks, **values)
    assert response.status_code == 422
    assert f'id="id_{wrong}_error"' in response.content.decode()
    assert not Loan.objects.exists()


def test_a_library_that_does_not_lend_is_not_asked_and_the_reason_is_shown(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    Library.objects.filter(pk=desks.lender.pk).update(lends=False)
    html = form(enter(desks.hana), manifestation, desks).content.decode()
    assert "does not lend to other libraries" in html
    assert not Loan.objects.exists()


def test_a_book_that_does_not_exist_is_not_found(desks: Desks, enter: Callable[[Any], Client]) -> None:
    assert enter(desks.hana).get("/loans/new?book=M99999&library=L1").status_code == 404
    assert enter(desks.hana).get("/loans/new").status_code == 404


def test_the_terms_of_a_library_are_shown_to_the_one_who_asks(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    LoanTerms.objects.update(
        in_house=True, days=21, most=5, new_months=6, excluded="視聴覚資料\n<貴重書>", payment="着払い"
    )
    html = enter(desks.hana).get(f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}").content.decode()
    for words in (
        "only inside the borrowing library",
        "21 days",
        "<dd>5</dd>",
        "within 6 months of publication",
        "着払い",
        "視聴覚資料<br>&lt;貴重書&gt;",
    ):
        assert words in html


def test_a_library_that_states_no_terms_shows_none(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    LoanTerms.objects.all().delete()
    html = enter(desks.hana).get(f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}").content.decode()
    assert 'class="inline conditions"' not in html


def test_no_more_items_are_requested_than_a_library_lends_at_a_time(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    LoanTerms.objects.update(most=1)
    client = enter(desks.hana)
    form(client, manifestation, desks)
    assert Loan.objects.count() == 1
    page = client.get(f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}").content.decode()
    assert "as many items from this library" in page
    assert form(client, manifestation, desks).status_code == 422
    assert Loan.objects.count() == 1
    Loan.objects.update(state="returned")
    form(client, manifestation, desks)
    assert Loan.objects.count() == 2


def test_a_library_that_lends_nothing_new_is_not_asked_for_a_new_book(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    month = timezone.localdate().strftime("%Y-%m")
    Manifestation.objects.update(record=pack_record(structs.replace(KOKORO, issued=month)))
    client, address = enter(desks.hana), f"/loans/new?book=M{manifestation.pk}&library=L{desks.lender.pk}"
    LoanTerms.objects.update(new_months=6)
    page = client.get(address).content.decode()
    assert "does not lend it yet: it was published too recently" in page
    assert form(client, manifestation, desks).status_code == 422
    assert Loan.objects.count() == 0
    LoanTerms.objects.update(new_months=0)
    form(client, manifestation, desks)
    assert Loan.objects.count() == 1


def test_a_library_that_lends_for_use_inside_only_gets_a_request_that_says_so(
    desks: Desks, manifestation: Manifestation, enter: Callable[[Any], Client]
) -> None:
    LoanTerms.objects.update(in_house=True)
    form(enter(desks.hana), manifestation, desks)
    assert request_of(Loan.objects.get()).in_house_only
