"""What a library does with a request: every transition, with one event each; whoever acts too late is told so."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import translation

from aggregator.loan_desk.acting import Actor, Refused, Step, act
from aggregator.loans.states import TRANSITIONS, Action, Kind, Side, State
from aggregator.models import Loan, LoanEvent
from tests.aggregator.loan_desk.desks import BOOK, COPY, DUE, NOW, Desks
from tests.aggregator.loan_desk.desks import desks as make_desks

KINDS = {Kind.LOAN: BOOK, Kind.COPY: COPY}
ALL = [
    (state, side, action, kind)
    for state in State
    for side in Side
    for action in Action
    for kind in Kind
    if state is not State.OVERDUE and action is not Action.FORWARD  # see test_asking
]


@pytest.mark.django_db
def test_every_action_is_carried_out_or_refused_as_the_table_says(desks: Desks) -> None:
    loans = {kind: desks.ask(request) for kind, request in KINDS.items()}
    for state, side, action, kind in ALL:
        Loan.objects.filter(pk=loans[kind].pk).update(state=state)
        expected = TRANSITIONS.get((state, side, action, kind))
        try:
            result = desks.act(loans[kind], side, action).state
        except Refused:
            result = None
        assert result == expected, (state, side, action, kind)
        assert Loan.objects.get(pk=loans[kind].pk).state == (expected or state)


@pytest.mark.django_db
def test_every_action_adds_one_event_with_who_when_and_the_words(desks: Desks) -> None:
    loan = desks.ask()
    desks.act(loan, Side.LENDER, Action.SHIP, words="本日発送\n\x00しました。")
    event = loan.events.last()
    assert event is not None
    assert (event.side, event.way, event.person, event.name) == ("lender", "account", desks.ken, "ken")
    assert (event.action, event.state, event.due, event.words) == ("ship", "shipped", DUE, "本日発送\nしました。")
    assert list(loan.events.values_list("action", flat=True)) == ["send", "ship"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("action", "step"),
    [
        (Action.INQUIRE, {"words": " \n"}),
        (Action.REFUSE, {"reason": "because"}),
        (Action.SHIP, {"due": None}),
        (Action.SHIP, {"due": DUE - timedelta(days=31)}),
        (Action.SHIP, {"due": DUE + timedelta(days=400)}),
    ],
)
def test_what_an_action_needs_must_be_given(desks: Desks, action: Action, step: dict[str, object]) -> None:
    loan = desks.ask()
    with pytest.raises(Refused):
        desks.act(loan, Side.LENDER, action, **step)
    assert loan.events.count() == 1


@pytest.mark.django_db
def test_who_saw_an_older_state_is_told_the_present_one(desks: Desks) -> None:
    loan = desks.ask()
    desks.act(loan, Side.LENDER, Action.ACCEPT, seen=State.REQUESTED)
    with translation.override("ja"), pytest.raises(Refused, match="受付"):
        desks.act(loan, Side.LENDER, Action.REFUSE, seen=State.REQUESTED)
    assert Loan.objects.get().state == State.ACCEPTED


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time anyway")
@pytest.mark.django_db(transaction=True)
def test_of_two_clicks_at_once_one_wins() -> None:
    desks = make_desks()
    loan, results = desks.ask(), []

    def click(action: Action) -> None:
        try:
            step = Step(action, State.REQUESTED, reason="new", due=DUE)
            results.append(act(loan.pk, Actor(Side.LENDER, LoanEvent.Way.ACCOUNT), step, NOW).state)
        except Refused as refusal:
            results.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=click, args=[action]) for action in (Action.ACCEPT, Action.REFUSE, Action.SHIP)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = Loan.objects.get().state
    assert results.count(state) == 1 and len(results) == 3
    assert LoanEvent.objects.count() == 2


@pytest.mark.django_db
def test_events_are_neither_changed_nor_deleted(desks: Desks) -> None:
    event = desks.ask().events.get()
    for change in (
        event.save,
        event.delete,
        lambda: LoanEvent.objects.update(words="x"),
        LoanEvent.objects.all().delete,
    ):
        with pytest.raises(TypeError):
            change()
