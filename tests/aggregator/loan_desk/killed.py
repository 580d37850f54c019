"""Kills processes while they act on a request or mail about it: `python -m tests.aggregator.loan_desk.killed`.

Prints what became of each request, as one line of JSON. On a database of its own, because a killed process must leave
something behind that another one finds.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.durability import stage

PLACES = ("in the transaction", "after the transaction", "before sending", "after sending")


def main() -> None:
    with stage.new_site() as folder:
        print(json.dumps({place: _trial(place, folder / place) for place in PLACES}))


def _trial(place: str, mails: Path) -> dict[str, Any]:
    """Kill one process at a place, then send the mails as the surviving processes do."""
    from aggregator.models import Library, Loan, LoanEvent  # noqa: PLC0415
    from harvesting.models import OutgoingMessage  # noqa: PLC0415
    from harvesting.notifications import outbox  # noqa: PLC0415
    from tests.aggregator.loan_desk.desks import Desks, library, member  # noqa: PLC0415

    borrower, lender = library(place, f"b {place}"), library(place, f"l {place}")
    desks = Desks(borrower, lender, member(f"h {place}", borrower, email="h@example.jp"), member(f"k {place}", lender))
    loan = desks.ask()
    OutgoingMessage.objects.update(state="sent")
    outbox.delivery.send = _writer(mails)  # type: ignore[assignment]

    def work() -> None:
        _accept(desks.ken, loan.pk, place)
        _send(place)

    assert stage.was_killed(stage.wait(stage.fork(work))), place
    OutgoingMessage.objects.filter(state="sending").update(due=loan.created)  # the lease is over
    outbox.send_due()
    outbox.send_due()
    found = Loan.objects.get(pk=loan.pk)
    sent = mails.read_text().splitlines() if mails.exists() else []
    result = {"state": found.state, "events": LoanEvent.objects.filter(loan=loan).count(), "sent": sent}
    if found.state == "requested":
        result["again"] = _accept(desks.ken, loan.pk, "")
    assert Library.objects.filter(name=place).count() == 2
    return result


def _accept(user: Any, number: int, place: str) -> str:
    """Press the button as a web process does; die at the place."""
    from aggregator.loan_desk import acting  # noqa: PLC0415
    from aggregator.loan_desk.acting import Actor, Step  # noqa: PLC0415
    from aggregator.loans.states import Action, Side  # noqa: PLC0415
    from aggregator.models import LoanEvent  # noqa: PLC0415
    from tests.aggregator.loan_desk.desks import NOW  # noqa: PLC0415

    if place == "in the transaction":
        acting.write_letters = _then_die(acting.write_letters)  # type: ignore[assignment]
    loan = acting.act(number, Actor(Side.LENDER, LoanEvent.Way.ACCOUNT, user), Step(Action.ACCEPT), NOW)
    if place == "after the transaction":
        _die()
    return loan.state


def _send(place: str) -> None:
    """Send the mails as the dispatcher does; die at the place."""
    from harvesting.notifications import outbox  # noqa: PLC0415

    send = outbox.delivery.send
    outbox.delivery.send = _then_die(send) if place == "after sending" else _then_die(lambda *_mail: None)  # type: ignore[assignment]
    outbox.send_due()


def _writer(mails: Path) -> Callable[..., None]:
    """Return a mail server: one line with the Message-ID for each mail."""

    def send(_to: str, _subject: str, _text: str, headers: dict[str, str]) -> None:
        with mails.open("a") as file:
            file.write(f"{headers['Message-ID']}\n")

    return send


def _then_die(work: Callable[..., Any]) -> Callable[..., Any]:
    def dying(*arguments: Any) -> None:
        work(*arguments)
        _die()

    return dying


def _die() -> None:
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
