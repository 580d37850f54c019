"""The pages of a request: who sees it, what a library does there, and what it prints."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from aggregator.loan_desk.asking import Order, ask
from aggregator.loans.states import Action, Side
from aggregator.models import Holding, Library, Loan
from tests.aggregator.loan_desk.desks import BOOK, NOW, Desks, library, member

pytestmark = pytest.mark.django_db
PATHS = ("/loans/{}/", "/loans/{}/print")


def test_both_libraries_and_staff_see_a_request_and_nobody_else(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = desks.ask()
    boss = get_user_model().objects.create_superuser("boss")
    stranger = member("stranger", library("別の図書館", "9"))
    librarian = get_user_model().objects.create_user("librarian")
    for path in PATHS:
        address = path.format(loan.pk)
        statuses = [enter(user).get(address).status_code for user in (desks.hana, desks.ken, boss, stranger, librarian)]
        assert statuses == [200, 200, 200, 404, 403]
        assert Client().get(address).url.startswith("/login?next=/loans/")  # type: ignore[attr-defined]
    assert enter(stranger).post(f"/loans/{loan.pk}/act", {"do": "accept", "seen": "requested"}).status_code == 404


def test_the_lender_does_not_see_a_draft(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = ask(Order(desks.borrower, desks.lender, BOOK), desks.hana, NOW, send=False)
    assert enter(desks.hana).get(f"/loans/{loan.pk}/").status_code == 200
    assert enter(desks.ken).get(f"/loans/{loan.pk}/").status_code == 404
    assert "No requests" in enter(desks.ken).get("/loans/received").content.decode()


def test_a_library_that_was_merged_keeps_its_requests(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = desks.ask()
    successor = library("新しい図書館", "99")
    Library.objects.filter(pk=desks.lender.pk).update(merged_into=successor)
    for user in (desks.ken, member("new", successor)):
        assert enter(user).get(f"/loans/{loan.pk}/").status_code == 200


def act(client: Client, loan: Loan, side: Side, action: Action, **values: str) -> str:
    """Press a button of the page. Return the page that follows."""
    posted = {"do": action, "side": side, "seen": Loan.objects.get(pk=loan.pk).state, **values}
    return client.post(f"/loans/{loan.pk}/act", posted, follow=True).content.decode()


def test_a_loan_goes_from_the_request_to_its_end(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan, hers, his = desks.ask(), enter(desks.hana), enter(desks.ken)
    due = (timezone.localdate() + timedelta(days=20)).isoformat()
    act(his, loan, Side.LENDER, Action.ACCEPT)
    act(his, loan, Side.LENDER, Action.SHIP, due=due, words="<b>本日</b>")
    html = act(hers, loan, Side.BORROWER, Action.RECEIVE)
    assert "&lt;b&gt;本日&lt;/b&gt;" in html and "received" in html
    for action in (Action.USE, Action.RETURN):
        act(hers, loan, Side.BORROWER, action)
    assert "completed" in act(his, loan, Side.LENDER, Action.COMPLETE)
    assert Loan.objects.get().state == "completed"


def test_nobody_acts_for_the_other_library(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = desks.ask()
    response = enter(desks.hana).post(f"/loans/{loan.pk}/act", {"do": "accept", "side": "lender", "seen": "requested"})
    assert (response.status_code, Loan.objects.get().state) == (404, "requested")
    boss = get_user_model().objects.create_superuser("boss")
    assert enter(boss).post(f"/loans/{loan.pk}/act", {"do": "accept", "side": "lender"}).status_code == 404


def test_an_action_that_came_too_late_says_so(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = desks.ask()
    desks.act(loan, Side.LENDER, Action.ACCEPT)
    response = enter(desks.ken).post(
        f"/loans/{loan.pk}/act", {"do": "refuse", "side": "lender", "seen": "requested", "reason": "new"}, follow=True
    )
    assert "has changed in the meantime: it is now “accepted”" in response.content.decode()


def test_the_next_library_is_asked_from_the_page(
    desks: Desks, enter: Callable[[Any], Client], manifestation: Any, shelf: Any
) -> None:
    other = library("京都府立図書館", "2001")
    Holding.objects.create(manifestation=manifestation, library=other, copies=1)
    loan = desks.ask(book=f"M{manifestation.pk}")
    desks.act(loan, Side.LENDER, Action.REFUSE)
    html = enter(desks.hana).get(f"/loans/{loan.pk}/").content.decode()
    assert "京都府立図書館" in html and f'value="{desks.lender.pk}"' not in html
    act(enter(desks.hana), loan, Side.BORROWER, Action.FORWARD, lender=str(other.pk))
    made = Loan.objects.get(previous=loan)
    assert (made.lender, made.state) == (other, "requested")


def test_the_printed_page_has_everything_on_it(desks: Desks, enter: Callable[[Any], Client]) -> None:
    html = enter(desks.hana).get(f"/loans/{desks.ask().pk}/print").content.decode()
    for text in ("こころ", "夏目漱石", "9784003101117", "Sakai City Library", "NDLLibCode 2132", "072-000-0000"):
        assert text in html
    assert "hana" not in html.partition("<article")[2]


def test_a_member_reaches_no_page_of_librarians(desks: Desks, enter: Callable[[Any], Client]) -> None:
    assert [enter(desks.hana).get(path).status_code for path in ("/manage/", "/admin/")] == [403, 403]
