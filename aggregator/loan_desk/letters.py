"""The mails about a request: to the lender, with a link by which it can answer without an account; to the borrower.

They are stored in the outbox in the event's transaction and under its number: each is sent once, even after a crash.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from aggregator.loan_desk.lines import Line, how_lines, name_of, party_lines, state_name, what_lines, where_lines
from aggregator.loan_desk.links import VALID, make_link
from aggregator.loan_desk.packing import request_of
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import REASONS, Action, Kind, Reason, Side, State
from aggregator.models import Library, Loan, LoanEvent, LoanTerms
from harvesting.mail.texts import compose_message, page_url

MOST_ADDRESSES = 5  # members who get the mail, if a library has no address for requests
# The answers that the link in a mail to the lender permits, by the action of the borrower
FIRST_ANSWERS = (Action.ACCEPT, Action.INQUIRE, Action.REFUSE, Action.SHIP)
ANSWERS: Mapping[Action, tuple[Action, ...]] = {
    Action.SEND: FIRST_ANSWERS,
    Action.FORWARD: FIRST_ANSWERS,
    Action.ANSWER: FIRST_ANSWERS,
    Action.RENEW: (Action.GRANT, Action.DENY),
    Action.RETURN: (Action.COMPLETE, Action.LOSE),
}
_REQUESTS = (Action.SEND, Action.FORWARD)
_QUIET = (Action.USE,)  # actions about which no mail is sent to the other library


@dataclass(frozen=True, slots=True)
class Address:
    """Where a mail to a library goes, and its language. for_requests: it is the library's address for requests."""

    email: str
    language: str
    for_requests: bool = False


def write_letters(loan: Loan, event: LoanEvent) -> None:
    """Store the mails about an event, in its transaction; none about a draft."""
    if event.action in _QUIET or loan.sent is None:
        return
    to_lender = event.side == Side.BORROWER
    request = request_of(loan)
    for number, to in enumerate(_lender_addresses(loan) if to_lender else _borrower_addresses(loan)):
        with translation.override(to.language):
            answers = ANSWERS.get(Action(event.action), ()) if to_lender and to.for_requests else ()
            link = _answer_line(make_link(loan, answers, event.at), event) if answers else _page_line(loan)
            paragraphs = [*_opening(loan, request, event), *_facts(request, event), link]
            subject = _subject(loan, request, event)
            key = f"loan-{event.pk}-{number}"
            message = compose_message(key, "loan", to.email, subject, paragraphs)
        message.secret = bool(answers)
        message.save()


def _lender_addresses(loan: Loan) -> list[Address]:
    return _of_terms(loan.lender) or _of_members(loan.lender)


def _borrower_addresses(loan: Loan) -> list[Address]:
    """The library's address, else that of the person who made the request, else of the members."""
    own = loan.person.email if loan.person is not None and loan.person.is_active else ""
    return _of_terms(loan.borrower) or ([Address(own, settings.LANGUAGE_CODE)] if own else _of_members(loan.borrower))


def _of_terms(library: Library) -> list[Address]:
    terms = LoanTerms.objects.filter(library=library).exclude(email="").first()
    return [Address(terms.email, terms.language, for_requests=True)] if terms else []


def _of_members(library: Library) -> list[Address]:
    members = library.members.filter(user__is_active=True).exclude(user__email="").order_by("pk")
    emails = dict.fromkeys(members.values_list("user__email", flat=True)[:MOST_ADDRESSES])
    return [Address(email, settings.LANGUAGE_CODE) for email in emails]


def _subject(loan: Loan, request: LoanRequest, event: LoanEvent) -> str:
    facts = {"number": loan.number, "title": request.title[:80], "state": state_name(State(event.state))}
    if event.action in _REQUESTS:
        return _("interlibrary loan request %(number)s: %(title)s") % facts
    return _("interlibrary loan %(number)s, %(state)s: %(title)s") % facts


def _opening(loan: Loan, request: LoanRequest, event: LoanEvent) -> Iterator[str]:
    """What has happened, in a sentence, and the words that came with it."""
    borrower = name_of(request.borrower) or loan.borrower.label
    lender = name_of(request.lender) or loan.lender.label
    facts = {"borrower": borrower, "lender": lender, "number": loan.number, "state": state_name(State(event.state))}
    if event.action in _REQUESTS and request.kind is Kind.COPY:
        yield _("%(borrower)s asks %(lender)s for a copy.") % facts
    elif event.action in _REQUESTS:
        yield _("%(borrower)s asks %(lender)s for an interlibrary loan.") % facts
    else:
        name = borrower if event.side == Side.BORROWER else lender
        yield _("%(name)s has changed request %(number)s: it is now “%(state)s”.") % {**facts, "name": name}
    if event.reason:
        reason = REASONS[Reason(event.reason)].name(translation.get_language() or "ja")
        yield _("Reason: %(reason)s") % {"reason": reason}
    if event.due:
        yield _("Date due: %(day)s") % {"day": date_format(event.due, "DATE_FORMAT")}
    yield event.words


def _facts(request: LoanRequest, event: LoanEvent) -> Iterator[str]:
    """The request itself: whole in the first mail, else what is needed to recognise it."""
    if event.action not in _REQUESTS:
        yield _text(what_lines(request)[:3])
        return
    yield _text((*how_lines(request), *what_lines(request), *where_lines(request)))
    yield _text(party_lines(request.borrower))


def _text(lines: Iterable[Line]) -> str:
    return "\n".join(f"{line.label}: {line.value}" for line in lines)


def _answer_line(link: str, event: LoanEvent) -> str:
    day = date_format(timezone.localtime(event.at + VALID), "DATE_FORMAT")
    return _("Answer here without logging in (until %(day)s; each answer once):") % {"day": day} + f"\n{link}"


def _page_line(loan: Loan) -> str:
    return _("The request on this site (login needed):") + f"\n{page_url('loan', loan.pk)}"
