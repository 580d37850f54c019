"""Rows about libraries and interlibrary loan for the poisoned site."""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from msgspec import structs

from aggregator.loan_desk import links
from aggregator.loan_desk.packing import pack_request
from aggregator.loans.request import LoanRequest, Party, bounded
from aggregator.loans.states import Action, Kind
from aggregator.models import (
    AvailabilityAdapter,
    CheckedLink,
    Holding,
    Library,
    LibraryAnswer,
    LibraryInvitation,
    LibraryMember,
    LibraryMerge,
    LinkHost,
    LinkPattern,
    LinkRound,
    LiveDay,
    LiveState,
    Loan,
    LoanEvent,
    LoanLink,
    LoanMessage,
    LoanTerms,
    Manifestation,
)
from harvesting.models import Feed, Invitation, Repository
from tests.hostile.poison import PLACE, Texts, hostile


def lent(texts: Texts, person: User) -> dict[str, Any]:
    """Create requests between two libraries, for both of which the person works. Return them for the addresses."""
    now = timezone.now()
    borrower, lender = (Library.objects.create(name=name, name_en=name) for name in ("b", "l"))
    for library in (borrower, lender):
        LibraryMember.objects.create(user=person, library=library)
        LibraryInvitation.objects.create(library=library, invitation=Invitation.objects.create(
            role="public", email=f"{library.pk}@example.jp", expires=now))  # fmt: skip
        LoanTerms.objects.create(library=library)
    number = Manifestation.objects.exclude(record=b"").order_by("pk")[0].pk
    Holding.objects.create(manifestation_id=number, library=lender, copies=1)
    party = hostile(texts, Party, "party", codes=(("NDLLibCode", texts("party.code")),))
    request = hostile(texts, LoanRequest, "loan", needed_by="", borrower=party, lender=party)
    request = structs.replace(request, kind=Kind.COPY)
    for state in ("draft", "requested", "refused"):
        sent = None if state == "draft" else now
        loan = Loan.objects.create(borrower=borrower, lender=lender, book=f"M{number}", state=state, sent=sent,
                                   request=pack_request(bounded(request)))  # fmt: skip
        LoanEvent.objects.create(loan=loan, side="borrower", way="account", action="note", state=state)
        LoanMessage.objects.create(loan=loan, library=lender, key=state, body=b"", state="failed", due=now, created=now)
        LoanLink.objects.create(loan=loan, digest=b"%d" % loan.pk, answer="accept", expires=now)
    requested = Loan.objects.exclude(state="draft")
    addresses = [links.make_link(loan, [Action.ACCEPT, Action.REFUSE], now) for loan in requested]
    return {
        "loans": list(Loan.objects.all()),
        "loan_drafts": list(Loan.objects.filter(state="draft")),
        "loan_tokens": [address.rpartition("/")[2] for address in addresses],
        "lender": lender,
    }


def upkept(library: Library) -> None:
    """Create what staff do with a library: another one merged into it, an answer, the interface for availability."""
    merged = Library.objects.create(name="m", merged_into=library)
    field = {"before": PLACE, "after": PLACE, "marks": []}
    LibraryMerge.objects.create(library=merged, into=library, settled=True, replaced={"address": field})
    LibraryAnswer.objects.create(library=library, names=[PLACE], verdict="one")
    AvailabilityAdapter.objects.create(library=library, kind="json", declared={"status": PLACE, "available": PLACE},
                                       failure="availability.no_json", facts={"url": PLACE, "detail": PLACE},
                                       failed_at=timezone.now(), failures=1)  # fmt: skip


def checked(library: Library, repository: Repository) -> None:
    """Create what checks of links find: a dead link, a dead pattern, and a host that does not answer."""
    today, now = timezone.localdate(), timezone.now()
    host = LinkHost.objects.create(name="h.example", repository=repository, state="unreachable", failed_days=1,
                                   failed_since=today, failed_on=today, failure="net.dns")  # fmt: skip
    pattern = LinkPattern.objects.create(text="h.example/*", host=host, dead=True)
    CheckedLink.objects.create(key=1, url="https://h.example/1", pattern=pattern, repository=repository, book=1,
                               library=library, state="dead", code="http.404", location=PLACE,
                               checked_at=now)  # fmt: skip
    LinkRound.objects.create()
    asked_live()


def asked_live() -> None:
    """Create a live source of the kind link only, so that no request is sent, with a state and figures of failures."""
    repository = Repository.objects.create(number="R000000098", name="v", state="live")
    described = {"name": PLACE, "known_item": PLACE, "search_page": PLACE}
    Feed.objects.create(repository=repository, protocol="live-link", base_url="https://h.example/?q={words}",
                        live_options=described)  # fmt: skip
    LiveState.objects.create(repository=repository, failure="net.dns", facts={"url": PLACE, "detail": PLACE},
                             failures=1, failed_at=timezone.now(), checks_failed=2, check_failure="http.500",
                             checked_on=timezone.localdate())  # fmt: skip
    LiveDay.objects.create(repository=repository, day=timezone.localdate(), calls=2, answered=1,
                           errors={"net.dns": 1}, latency=[1, 0, 0, 0, 0, 0, 1])  # fmt: skip
