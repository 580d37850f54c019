"""A request, and what happened to it, in labelled lines: for pages, the printed page, mails and lists. No HTTP."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from aggregator.loans.request import LoanRequest, Party
from aggregator.loans.states import ACTIONS, KINDS, REASONS, SIDES, STATES, Action, Kind, Reason, Side, State, shown
from aggregator.models import Loan, LoanEvent
from aggregator.presentation.field_cells import RESOLVERS
from metadata.links import safe_href
from metadata.text.languages import name_for

_NCID = re.compile(r"[A-Z]{2}[0-9]{7}[0-9X]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Line:
    """A label and its value, in the language of the page. href: the value is an address to which a page may link."""

    label: str
    value: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event of the history in words. who: the library, and the person or the way by which the action came."""

    at: datetime
    side: str
    who: str
    action: str
    state: str
    details: str
    words: str


def what_lines(request: LoanRequest) -> tuple[Line, ...]:
    """What is requested: the book, and the part of it that is to be copied."""
    return _filled(
        (_("Title"), request.title),
        (pgettext("of a title", "Reading"), request.reading),
        (_("Volume"), request.volume),
        (_("Edition"), request.edition),
        (_("Series"), request.series),
        (_("Creator"), request.author),
        (_("Publisher"), ": ".join(filter(None, (request.place, request.publisher)))),
        (_("Year"), request.year),
        ("ISBN", " / ".join(request.isbns)),
        ("ISSN", request.issn),
        (_("JP number"), request.jpno),
        ("NCID", request.ncid),
        (_("Article"), request.article),
        (_("Author of the article"), request.article_author),
        (_("Volume of the journal"), request.article_volume),
        (pgettext("of a journal", "Issue"), request.issue),
        (_("Pages"), request.pages),
    )


def where_lines(request: LoanRequest) -> tuple[Line, ...]:
    """Where the lender finds the item."""
    somoku = " / ".join(filter(None, (request.somoku_bib_id, request.somoku_sub_id)))
    numbered = _filled(
        (_("Call number"), request.call_number),
        (_("Location"), request.location),
        (_("Issues held"), request.holdings),
        (_("Record of the lending library"), request.record_id),
        (_("Union catalogue number"), somoku),
    )
    addresses = _filled(("CiNii Books", cinii_books(request.ncid)), (_("Source of the description"), request.source))
    return (*numbered, *(replace(line, href=safe_href(line.value)) for line in addresses))


def cinii_books(ncid: str) -> str:
    """Return the address of a book in CiNii Books, where NACSIS-ILL requests begin; "" for what is not an NCID."""
    return f"{RESOLVERS['NCID']}{ncid}" if _NCID.fullmatch(ncid) else ""


def how_lines(request: LoanRequest) -> tuple[Line, ...]:
    """What the borrowing library asks for beyond the item itself."""
    is_copy = request.kind is Kind.COPY
    return _filled(
        (_("Request"), KINDS[request.kind].name(_language())),
        (_("Own number"), request.number),
        (_("Needed by"), _day_text(request)),
        (_("Another edition"), _("acceptable") if request.any_edition else ""),
        (_("Use"), _("only inside the borrowing library") if request.in_house_only else ""),
        (_("Copying from it"), _("please allow it") if request.copying_allowed and not is_copy else ""),
        (_("Copyright"), _("within Article 31 of the Copyright Act") if request.copyright_declared else ""),
        (_("Costs"), _("the borrowing library pays") if request.fee_agreed else ""),
        (_("Note"), request.note),
    )


def party_lines(party: Party) -> tuple[Line, ...]:
    """A library with its address."""
    codes = " / ".join(f"{scheme} {value}" for scheme, value in party.codes if scheme not in ("name", "provider"))
    return _filled(
        (_("Library"), name_of(party)),
        (_("Code"), codes),
        (_("Postal address"), " ".join(filter(None, (party.postal_code, party.address)))),
        (_("Telephone number"), party.telephone),
        (_("Fax"), party.fax),
        (_("E-mail"), party.mail),
        (_("Person in charge"), party.contact),
    )


def name_of(party: Party) -> str:
    """The name of a library in the language of the page."""
    return name_for(_language(), party.name, party.name_en)


def state_name(state: State) -> str:
    """The name of a state in the language of the page."""
    return STATES[state].name(_language())


def shown_state(loan: Loan, kind: Kind, now: datetime) -> State:
    """The state that pages show: overdue follows from the date."""
    return shown(State(loan.state), kind, loan.due, timezone.localtime(now).date())


def event_line(event: LoanEvent, names: dict[str, str], *, persons: bool = True) -> EventLine:
    """An event in words. names: of the two libraries, by side. persons: whether to name those who acted."""
    language = _language()
    by_account = event.way == LoanEvent.Way.ACCOUNT
    person = (event.name if persons else "") if by_account else str(event.get_way_display())
    reason = REASONS[Reason(event.reason)].name(language) if event.reason else ""
    due = _("due on %(day)s") % {"day": date_format(event.due, "DATE_FORMAT")} if event.due else ""
    return EventLine(
        event.at,
        SIDES[Side(event.side)].name(language),
        " · ".join(filter(None, (names.get(event.side, ""), person))),
        ACTIONS[Action(event.action)].name(language),
        state_name(State(event.state)),
        " · ".join(filter(None, (reason, due))),
        event.words,
    )


def _day_text(request: LoanRequest) -> str:
    day = request.needed_by_date
    return date_format(day, "DATE_FORMAT") if day else request.needed_by


def _filled(*pairs: tuple[str, str]) -> tuple[Line, ...]:
    return tuple(_lines(pairs))


def _lines(pairs: tuple[tuple[str, str], ...]) -> Iterator[Line]:
    yield from (Line(label, value) for label, value in pairs if value)


def _language() -> str:
    return get_language() or "ja"
