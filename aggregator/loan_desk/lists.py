"""Lists of requests: what libraries have requested, and what was requested of them; overdue ones first. And as CSV."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.loan_desk.lines import name_of, shown_state, state_name
from aggregator.loan_desk.members import Desk
from aggregator.loan_desk.packing import request_of
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import AWAY, KINDS, Kind, Side, State, is_open
from aggregator.models import Loan

PAGE = 50
OPEN = "open"  # everything of which something is still to be done


@dataclass(frozen=True, slots=True)
class Row:
    """A request in a list. other: the other library."""

    loan: Loan
    request: LoanRequest
    kind: str
    state: State
    state_name: str
    other: str


def loans_of(desk: Desk, side: Side, state: str, now: datetime) -> QuerySet[Loan]:
    """Return the requests of the person's libraries on one side; staff who work for no library see all requests.

    state: "" for all, "open", or a value of State; "overdue" is computed.
    """
    loans = Loan.objects.all() if side is Side.BORROWER else Loan.objects.exclude(sent=None)
    if desk.libraries or not desk.sees_all:
        own = Q(borrower__in=desk.keys) if side is Side.BORROWER else Q(lender__in=desk.keys)
        loans = loans.filter(own)
    overdue = _overdue(now)
    if state == State.OVERDUE:
        loans = loans.filter(overdue)
    elif state == OPEN:
        loans = loans.filter(state__in=[one.value for one in State if is_open(one)])
    elif state in list(State):
        loans = loans.filter(state=state)
    late = Case(When(overdue, then=Value(0)), default=Value(1), output_field=IntegerField())
    return loans.order_by(late, "-pk")


def rows(loans: Iterable[Loan], side: Side, now: datetime) -> Iterator[Row]:
    """Yield the requests as a list shows them."""
    language = get_language() or "ja"
    for loan in loans:
        request = request_of(loan)
        state = shown_state(loan, request.kind, now)
        other = name_of(request.lender if side is Side.BORROWER else request.borrower)
        yield Row(loan, request, KINDS[Kind(request.kind)].name(language), state, state_name(state), other)


def states() -> list[tuple[str, str]]:
    """Return the states by which a list can be narrowed."""
    return [("", _("all")), (OPEN, _("still open")), *((state.value, state_name(state)) for state in State)]


def csv_header() -> list[str]:
    """Return the heads of the columns of `csv_rows`."""
    return [
        *(_("Number"), _("Own number"), _("Request"), _("State"), _("Borrowing library"), _("Lending library")),
        *(_("Title"), _("Creator"), "ISBN", _("Call number"), _("Sent"), _("Date due"), _("Changed")),
    ]


def csv_rows(found: Iterable[Row]) -> Iterator[list[str]]:
    """Yield the cells of each request; times are those of Japan."""
    for row in found:
        request, loan = row.request, row.loan
        yield [
            *(
                loan.number,
                request.number,
                row.kind,
                row.state_name,
                name_of(request.borrower),
                name_of(request.lender),
            ),
            *(request.title, request.author, " ".join(request.isbns), request.call_number),
            *(_time(loan.sent), loan.due.isoformat() if loan.due else "", _time(loan.changed)),
        ]


def _overdue(now: datetime) -> Q:
    today = timezone.localtime(now).date()
    return Q(due__lt=today, state__in=[state.value for state in AWAY])


def _time(moment: datetime | None) -> str:
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M}" if moment else ""
