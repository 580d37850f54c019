"""The lists of requests, their CSV, and the figures."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from aggregator.loan_desk.lists import PAGE
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import Action, Side
from aggregator.models import Loan
from tests.aggregator.loan_desk.desks import NOW, Desks, library, member

pytestmark = pytest.mark.django_db


def listed(client: Client, path: str) -> list[tuple[int, str]]:
    return [(row.loan.pk, row.state) for row in client.get(path).context["rows"]]


def test_overdue_requests_come_first_then_the_newest(desks: Desks, enter: Callable[[Any], Client]) -> None:
    first, second, third = desks.ask(), desks.ask(), desks.ask()
    desks.act(first, Side.LENDER, Action.SHIP)
    Loan.objects.filter(pk=first.pk).update(due=timezone.localdate() - timedelta(days=1))
    expected = [(first.pk, "overdue"), (third.pk, "requested"), (second.pk, "requested")]
    assert listed(enter(desks.hana), "/loans/") == listed(enter(desks.ken), "/loans/received") == expected
    assert listed(enter(desks.ken), "/loans/") == []


@pytest.mark.parametrize(("state", "count"), [("refused", 1), ("open", 1), ("", 2), ("overdue", 0)])
def test_a_list_is_narrowed_by_state(desks: Desks, enter: Callable[[Any], Client], state: str, count: int) -> None:
    desks.act(desks.ask(), Side.LENDER, Action.REFUSE)
    desks.ask()
    assert len(listed(enter(desks.hana), f"/loans/?state={state}")) == count


def test_an_unknown_state_is_not_found(desks: Desks, enter: Callable[[Any], Client]) -> None:
    assert enter(desks.hana).get("/loans/?state=x").status_code == 404


def test_long_lists_have_pages(desks: Desks, enter: Callable[[Any], Client], settings: Any) -> None:
    loan = desks.ask()
    Loan.objects.bulk_create(
        Loan(borrower=desks.borrower, lender=desks.lender, request=loan.request, state="refused", sent=NOW)
        for _number in range(PAGE)
    )
    client = enter(desks.hana)
    assert (len(listed(client, "/loans/")), listed(client, "/loans/?page=2")) == (PAGE, [(loan.pk, "requested")])


def test_the_csv_holds_no_formula_and_only_own_requests(desks: Desks, enter: Callable[[Any], Client]) -> None:
    desks.ask(LoanRequest(title='=HYPERLINK("https://evil.example")'))
    text = enter(desks.hana).get("/loans/made.csv").content.decode("utf-8-sig")
    assert "\"'=HYPERLINK" in text and f"{timezone.localtime(NOW):%Y-%m-%d %H:%M}" in text
    stranger = enter(member("stranger", library("別の図書館", "9")))
    assert stranger.get("/loans/made.csv").content.decode("utf-8-sig").count("\n") == 1
    assert enter(desks.ken).get("/loans/made.csv").content.decode().count("\n") == 1


def test_staff_without_a_library_see_the_requests_of_all(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = desks.ask()
    boss = enter(get_user_model().objects.create_superuser("boss"))
    assert listed(boss, "/loans/") == [(loan.pk, "requested")]


def test_the_figures_count_filled_requests_and_days_by_library(desks: Desks, enter: Callable[[Any], Client]) -> None:
    shipped, _open = desks.ask(), desks.ask()
    desks.act(desks.ask(), Side.LENDER, Action.REFUSE)
    desks.act(shipped, Side.LENDER, Action.SHIP)
    Loan.objects.filter(pk=shipped.pk).update(sent=NOW - timedelta(days=3))
    Loan.objects.filter(pk=_open.pk).update(sent=NOW - timedelta(days=400))
    made, received = enter(desks.hana).get("/loans/figures").context["parts"]
    (line,) = made[2]
    assert (line.name, line.requests, line.filled, line.refused, round(line.days, 3)) == ("Osaka Library", 2, 1, 1, 3.0)
    assert (made[1].requests, received[2]) == (2, [])


def test_the_number_of_queries_does_not_grow_with_the_list(
    desks: Desks, enter: Callable[[Any], Client], django_assert_max_num_queries: Any
) -> None:
    for _number in range(12):
        desks.ask()
    client = enter(desks.hana)
    with django_assert_max_num_queries(9):
        client.get("/loans/")
