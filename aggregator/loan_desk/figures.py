"""Figures of interlibrary loan: how many requests were filled, in how many days, by which library."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, DurationField, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery

from aggregator.loan_desk.lists import loans_of
from aggregator.loan_desk.members import Desk
from aggregator.loans.states import Action, Side, State
from aggregator.models import Library, Loan, LoanEvent

PERIOD = timedelta(days=365)
MOST_LIBRARIES = 200


@dataclass(frozen=True, slots=True)
class Figure:
    """The requests to or from one library within the period. days: from sending the request to shipping; None: none."""

    name: str
    requests: int
    filled: int
    refused: int
    days: float | None


def figures(desk: Desk, side: Side, now: datetime) -> list[Figure]:
    """Return the figures by the other library, most requests first. Two queries."""
    other = "lender" if side is Side.BORROWER else "borrower"
    found = list(_counted(loans_of(desk, side, "", now), other, now)[:MOST_LIBRARIES])
    libraries = Library.objects.in_bulk([row[other] for row in found])
    return [_figure(libraries[row[other]].label, row) for row in found]


def total(desk: Desk, side: Side, now: datetime) -> Figure:
    """Return the figures of all requests together."""
    loans = _with_shipping(loans_of(desk, side, "", now), now)
    return _figure("", loans.aggregate(**_counts()))


def _counted(loans: QuerySet[Loan], other: str, now: datetime) -> Any:
    return _with_shipping(loans, now).order_by().values(other).annotate(**_counts()).order_by("-requests", other)


def _with_shipping(loans: QuerySet[Loan], now: datetime) -> Any:
    """The requests that were sent in the period, with the time from then to the first shipping."""
    shipped = LoanEvent.objects.filter(loan=OuterRef("pk"), action=Action.SHIP).order_by("pk").values("at")[:1]
    taken = ExpressionWrapper(F("shipped") - F("sent"), output_field=DurationField())
    return loans.filter(sent__gt=now - PERIOD).annotate(shipped=Subquery(shipped)).annotate(taken=taken)


def _counts() -> dict[str, Any]:
    return {
        "requests": Count("pk"),
        "filled": Count("pk", filter=Q(shipped__isnull=False)),
        "refused": Count("pk", filter=Q(state=State.REFUSED)),
        "days": Avg("taken"),
    }


def _figure(name: str, row: dict[str, Any]) -> Figure:
    days = row["days"].total_seconds() / 86400 if row["days"] is not None else None
    return Figure(name, row["requests"], row["filled"], row["refused"], days)
