"""Resolves an OpenURL of another system to a record or to a search. The link is read by `query.openurl`."""

import re
import string
from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.catalogue import books as catalogue
from aggregator.indexing.searching import search
from aggregator.middleware.facet_guard import SeeOther
from aggregator.models import BOOK_ID
from aggregator.query.openurl import Attempt, OpenUrlRequest, attempts, read_openurl
from aggregator.query.openurl_fit import fits, left_out, tells_apart
from aggregator.query.parameters import BadParameter, address, refusal
from aggregator.search.base import IndexUnavailable, Query, QueryError
from aggregator.views.public.search import UNUSED, unavailable
from harvesting.models import PUBLIC_ID

MOST_COMPARED = 20  # hits that are compared with the link; with more, the results are shown
_SENT = string.punctuation  # characters that are not quoted again, "%" among them
_OWN = re.compile(rf"{re.escape(settings.PUBLIC_URL)}(?:/[a-z]{{2}})?/books/({PUBLIC_ID}|{BOOK_ID})\Z")


def openurl(request: HttpRequest) -> HttpResponse:
    """Redirect (303) to the record if there is only one, else to the results; 400 says what cannot be understood."""
    try:
        wanted = read_openurl(_query_string(request))
        return SeeOther(_own_record(wanted) or _answer_address(wanted))
    except BadParameter as problem:
        return _refused(request, problem)
    except QueryError as error:
        return _refused(request, refusal(error))
    except IndexUnavailable:
        return unavailable(request)


def _query_string(request: HttpRequest) -> str:
    """Return the query string as sent, with raw bytes quoted: only the link itself says which encoding they are in."""
    return quote(request.META.get("QUERY_STRING", "").encode("iso-8859-1"), safe=_SENT)


def _refused(request: HttpRequest, problem: BadParameter) -> HttpResponse:
    return render(request, "errors/parameter.html", {"problem": problem, "query": Query()}, status=400)


def _own_record(wanted: OpenUrlRequest) -> str:
    """Return the address of one of our own records if the link has it as an identifier, else ""."""
    own = next(filter(None, map(_OWN.match, wanted.pages)), None)
    return reverse("book", args=[own[1]]) if own else ""


def _answer_address(wanted: OpenUrlRequest) -> str:
    """Return the address to redirect to: the results of the first search with hits, or the book itself if exactly one
    of few hits is meant. If no search has hits: the widest one, which readers can change.
    """
    last = None
    for attempt in attempts(wanted):
        last = attempt
        found = search(replace(attempt.query, page_size=MOST_COMPARED), facets=())
        if found.total:
            numbers = [number for number, _score in found.hits] if found.total <= MOST_COMPARED else []
            return _only_book(wanted, attempt, numbers) or _results(wanted, attempt)
    if last is None:
        raise BadParameter("rft_id", _("No book matches this address."))
    return _results(wanted, last)


def _only_book(wanted: OpenUrlRequest, attempt: Attempt, numbers: list[int]) -> str:
    """Return the address of the only book among these that is meant; "" if it is none or several of them."""
    if not attempt.certain or (len(numbers) > 1 and not tells_apart(wanted, attempt)):
        return ""
    meant = [book for book in catalogue.books(numbers).values() if fits(wanted, attempt, book.record)]
    return reverse("book", args=[meant[0].public_id]) if len(meant) == 1 else ""


def _results(wanted: OpenUrlRequest, attempt: Attempt) -> str:
    """Return the address of the results, with the keys of the link that the search leaves out."""
    base = address(attempt.query, reverse("search"))
    unused = urlencode([(UNUSED, key) for key in left_out(wanted, attempt)])
    return f"{base}{'&' if '?' in base else '?'}{unused}" if unused else base
