"""The pages that list all libraries that hold a book, by prefecture, and all source records of a book, in parts.

The page of a book has the first of both. Its script adds further parts from these pages; without it they are links.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Gone
from aggregator.catalogue.shelves import SHOWN, holders_among, holders_by_prefecture, holders_in
from aggregator.libraries.numbers import library_number
from aggregator.libraries.provider_link import Link
from aggregator.libraries.regions import PREFECTURES
from aggregator.links.instead import links_instead
from aggregator.models import Holding
from aggregator.query.library_numbers import known_libraries
from aggregator.query.values import BadParameter, within
from aggregator.views.public.book_page import SOURCES, askable_of, sources
from aggregator.views.public.books import absent, gone_page
from aggregator.views.site_context import OWN_LIMIT
from harvesting.models import SourceRecord
from metadata.links import safe_href

type View = Callable[[HttpRequest, str, Book], HttpResponse]


@dataclass(frozen=True, slots=True)
class Choice:
    """A prefecture to which the list can be restricted. count: of libraries that hold the book there."""

    code: str
    name: str
    count: int


@require_safe
def holdings(request: HttpRequest, public_id: str) -> HttpResponse:
    """List the libraries that hold a book: `?page=` of all of them, or of those in a prefecture, `&region=27`; or those
    of some libraries, `?library=L12&library=…`, for the script that adds the reader's own.
    """
    return _with_book(request, public_id, _holdings)


@require_safe
def records(request: HttpRequest, public_id: str) -> HttpResponse:
    """List the source records of a book: `?page=`."""
    return _with_book(request, public_id, _records)


@require_safe
@gzip_page
def holders_json(_request: HttpRequest, public_id: str) -> JsonResponse:
    """All libraries that hold a book, each as [number, link, kind of link]: the script of its page chooses the nearest.

    The answer is the same for everybody, so the request says nothing about where the reader is. One query, more if a
    link is dead.
    """
    number = int(public_id[1:])
    rows = Holding.objects.filter(manifestation=number).order_by("library")
    found = {pk: Link(link, kind) for pk, link, kind in rows.values_list("library", "link", "link_kind")}
    instead = links_instead((number, pk, link.url) for pk, link in found.items())
    found |= {pk: link for (_number, pk), link in instead.items()}
    links = [[library_number(pk), safe_href(link.url), link.kind] for pk, link in found.items()]
    return JsonResponse({"libraries": links})


def _with_book(request: HttpRequest, public_id: str, view: View) -> HttpResponse:
    try:
        return view(request, public_id, catalogue.find_book(public_id, 1))  # each view reads the libraries it shows
    except Gone as gone:
        return gone_page(request, gone)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    except BadParameter as problem:
        return render(request, "errors/parameter.html", {"problem": problem}, status=400)


def _holdings(request: HttpRequest, public_id: str, book: Book) -> HttpResponse:
    counts = holders_by_prefecture(book.number) if book.number else {}
    choices = [
        Choice(code, PREFECTURES[code].name(get_language() or "ja"), counts[code])
        for code in PREFECTURES
        if code in counts
    ]
    region = request.GET.get("region", "")
    if region and region not in counts:
        raise BadParameter("region", _("No library there holds this book."))
    if chosen := request.GET.getlist("library"):
        return _chosen(request, book, known_libraries(chosen[:OWN_LIMIT]))
    part = _part(request, counts[region] if region else book.holders.libraries, SHOWN)
    shelves = (
        holders_in(book.number, book.repositories, region, slice(part.start_index() - 1, part.end_index()))
        if sum(counts.values())
        else catalogue.find_book(public_id, part.end_index()).shelves[part.start_index() - 1 :]
    )
    context = {
        "book": book,
        "record": book.record,
        "public_id": public_id,
        "shelves": shelves,
        "askable": askable_of(book, shelves),
        "part": part,
        "choices": choices if len(choices) > 1 else [],
        "region": region,
    }
    return render(request, "libraries/holdings.html", context)


def _chosen(request: HttpRequest, book: Book, libraries: Sequence[int]) -> HttpResponse:
    """The holdings of some libraries alone."""
    shelves = holders_among(book.number, book.repositories, libraries) if book.number else ()
    context = {
        "book": book,
        "record": book.record,
        "public_id": book.public_id,
        "shelves": shelves,
        "askable": askable_of(book, shelves),
        "part": Paginator(range(len(shelves)), SHOWN).page(1),
    }
    return render(request, "libraries/holdings.html", context)


def _records(request: HttpRequest, public_id: str, book: Book) -> HttpResponse:
    part = _part(request, len(book.members), SOURCES)
    members = book.members[part.start_index() - 1 : part.end_index()]
    context = {"book": book, "record": book.record, "public_id": public_id, "part": part, "sources": sources(members)}
    return render(request, "libraries/records.html", context)


def _part(request: HttpRequest, total: int, size: int) -> Page[int]:
    """Return the part of a list that `?page=` asks for. Raises BadParameter."""
    pages = Paginator(range(total), size)
    return pages.page(within("page", request.GET.get("page", "1"), pages.page_range))
