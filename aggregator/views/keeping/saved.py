"""What readers keep in the browser: a list of records (its page and files), and their libraries. Nothing is stored."""

import re

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from aggregator.availability.questions import askable
from aggregator.catalogue.identity import described
from aggregator.catalogue.saved_lists import saved_list
from aggregator.catalogue.shelves import OwnHolding, held_by
from aggregator.libraries.numbers import library_number
from aggregator.models import BOOK_ID
from aggregator.presentation.book_files import FILES, file_named
from aggregator.provision.result_sets import records_of
from aggregator.query.library_numbers import known_libraries
from aggregator.query.parameters import BadParameter
from aggregator.results.hits import Hit
from aggregator.search.base import Query
from aggregator.views.public.search import marked_words
from aggregator.views.site_context import LIST_LIMIT, OWN_LIMIT
from harvesting.models import PUBLIC_ID

_ID = re.compile(f"{PUBLIC_ID}|{BOOK_ID}")

_BOOK, _LIBRARY = re.compile(BOOK_ID), re.compile("L[1-9][0-9]{0,17}")
MOST_BOOKS = 100  # as many as a results page has


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the page that the browser fills; with ids, the list that somebody shared by its link."""
    if "id" not in request.GET:
        return render(request, "saved/page.html")
    try:
        return render(request, "saved/shared.html", _shown(request.GET))
    except BadParameter as problem:
        return render(request, "errors/parameter.html", {"problem": problem}, status=400)


@require_POST
def records(request: HttpRequest) -> HttpResponse:
    """Return the records of a list as a part of that page."""
    try:
        return render(request, "saved/records.html", _shown(request.POST))
    except BadParameter as problem:
        return _refused(problem)


def _shown(data: QueryDict) -> dict[str, object]:
    """Return the context of the records of a list. Raises BadParameter."""
    kept = saved_list(_ids(data))
    hits = [Hit(book) for book in kept.books]
    return {
        "hits": hits,
        "gone": kept.gone,
        "former": kept.former,
        "files": FILES.items(),
        "query": Query(),
        **marked_words(Query()),
    }


@require_POST
def export(request: HttpRequest) -> HttpResponse:
    """Return the records of a list as one file: the whole list for the reader's own use, otherwise those records that
    may be redistributed.
    """
    try:
        books = saved_list(_ids(request.POST)).books
        file = file_named(request.POST.get("format", ""))
    except BadParameter as problem:
        return _refused(problem)
    records = map(described, books) if file.personal else records_of(books)
    response = HttpResponse(b"".join(file.pieces(records)), file.media_type)
    response["Content-Disposition"] = f'attachment; filename="list.{file.ending}"'
    return response


@require_safe
def own_libraries(request: HttpRequest) -> HttpResponse:
    """Return book id -> [{name, link, availability}] for those of the reader's libraries that hold books of a page.

    availability: the address that tells whether the book can be borrowed there now; "" if that library cannot be asked.
    Libraries that do not exist any more are ignored.
    """
    try:
        books = _values(request.GET.getlist("book"), "book", _BOOK, MOST_BOOKS)
        libraries = known_libraries(_values(request.GET.getlist("library"), "library", _LIBRARY, OWN_LIMIT))
    except BadParameter as problem:
        return _refused(problem)
    found = held_by(libraries, [int(book[1:]) for book in books])
    can_be_asked = askable() if found else frozenset()
    return JsonResponse(
        {f"M{book}": [_own_holding(f"M{book}", one, can_be_asked) for one in own] for book, own in found.items()}
    )


def _own_holding(book: str, held: OwnHolding, can_be_asked: frozenset[int]) -> dict[str, str]:
    address = f"{reverse('availability_json', args=[book])}?library={library_number(held.library)}"
    return {
        "name": held.name,
        "link": held.link,
        "availability": address if held.library in can_be_asked else "",
    }


def _refused(problem: BadParameter) -> HttpResponse:
    return HttpResponse(f"{problem}\n", "text/plain; charset=utf-8", 400)


def _ids(data: QueryDict) -> list[str]:
    """Return the ids in the order of the list. Raises BadParameter."""
    return _values(data.getlist("id"), "id", _ID, LIST_LIMIT)


def _values(given: list[str], name: str, pattern: re.Pattern[str], most: int) -> list[str]:
    """Return the ids of a parameter without repetitions. Raises BadParameter."""
    ids = list(dict.fromkeys(given))
    if len(ids) > most:
        raise BadParameter(name, _("At most %(limit)d values are allowed.") % {"limit": most})
    if bad := next((public_id for public_id in ids if not pattern.fullmatch(public_id)), ""):
        raise BadParameter(name, _("This is not an ID: %(text)s") % {"text": bad[:60]})
    return ids
