"""Functions of the pages about interlibrary loan: its menu, the way to it, and the button on a library's holding."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext_lazy as _

from aggregator.catalogue.books import Book
from aggregator.loan_desk.offers import Offer, offers
from aggregator.loans.lenders import EXCLUSIONS
from aggregator.middleware.book_page_cache import has_session
from aggregator.models import LibraryMember
from aggregator.views.loans.guard import desk_for
from harvesting.accounts.access import LABELS, role_of
from harvesting.accounts.ranks import Role

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_MENU: "tuple[tuple[str, StrOrPromise], ...]" = (
    ("loans", _("Requested by us")),
    ("loans_received", _("Received by us")),
    ("loan_figures", _("Figures")),
)
_OFFERS = "loan_offers"  # key in request.META: the page of a book asks once for all its libraries


@dataclass(frozen=True, slots=True)
class MenuLine:
    """A line of the menu beside the pages of interlibrary loan."""

    url: str
    label: str
    current: bool


@dataclass(frozen=True, slots=True)
class LoanButton:
    """The button on a holding: its address, or the reason why there is none."""

    url: str
    reason: str
    is_copy: bool


def loan_menu(request: HttpRequest) -> list[MenuLine]:
    """The lines of the menu for the user of the request."""
    desk = desk_for(request)
    terms = (("loan_terms", _("Terms of interlibrary loan")),) if desk.libraries else ()
    manage = (("manage", _("Management of providers")),) if role_of(request.user) >= Role.LIBRARIAN else ()
    lines = [(reverse(name), str(label)) for name, label in (*_MENU, *terms, *manage)]
    return [MenuLine(url, label, url == request.path_info) for url, label in lines]


def loan_place(request: HttpRequest) -> str:
    """For whom the user of the request works: the names of the libraries, or else the user's role."""
    desk = desk_for(request)
    names = pgettext("between names", ", ").join(library.label for library in desk.libraries)
    return names or str(LABELS[role_of(desk.user)])


def loan_entry(request: HttpRequest) -> bool:
    """Whether the menu needs a line for a librarian who works for a library; staff always have one. One query."""
    return LibraryMember.objects.filter(user=request.user.pk).exists() and role_of(request.user) < Role.STAFF


def loan_button(request: HttpRequest, book: Book, library: int) -> LoanButton | None:
    """The button on a library's holding of a book. None for readers, who have no session at all."""
    if not has_session(request):
        return None
    offer = _offers(request, book).get(library)
    if offer is None:
        return None
    reason = EXCLUSIONS[offer.reason].name(get_language() or "ja") if offer.reason else ""
    if offer.kind is None:
        return LoanButton("", reason, is_copy=False)
    query = urlencode({"book": book.public_id, "library": f"L{library}", **({"kind": "copy"} if reason else {})})
    return LoanButton(f"{reverse('loan_new')}?{query}", reason, is_copy=bool(reason))


def _offers(request: HttpRequest, book: Book) -> dict[int, Offer]:
    """The offers to the user's first library; none for people who work for no library. One query for all libraries."""
    found: dict[int, Offer] | None = request.META.get(_OFFERS)
    if found is None:
        own = desk_for(request).libraries
        found = request.META[_OFFERS] = offers(book, own[0], timezone.localdate()) if own and book.number else {}
    return found
