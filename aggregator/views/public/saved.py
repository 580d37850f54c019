"""What readers keep in the browser: a list of records (its page and files), and their libraries. Nothing is stored."""

import re

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from aggregator.catalogue.identity import described
from aggregator.catalogue.own_libraries import held_by
from aggregator.catalogue.saved_lists import FORMATS, saved_books
from aggregator.models import BOOK_ID
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
    """Show the page that the browser fills."""
    return render(request, "saved/page.html")


@require_POST
def records(request: HttpRequest) -> HttpResponse:
    """Return the records of a list as a part of that page."""
    try:
        books, gone = saved_books(_ids(request))
    except BadParameter as problem:
        return _refused(problem)
    hits = [Hit(book) for book in books]
    context = {"hits": hits, "gone": gone, "formats": FORMATS.items(), **marked_words(Query())}
    return render(request, "saved/records.html", context)


@require_POST
def export(request: HttpRequest) -> HttpResponse:
    """Return the records of a list as one file."""
    try:
        books, _gone = saved_books(_ids(request))
        form = FORMATS.get(request.POST.get("format", ""))
        if form is None:
            raise BadParameter("format", _("Allowed: %(names)s.") % {"names": ", ".join(FORMATS)})
    except BadParameter as problem:
        return _refused(problem)
    response = HttpResponse(form.join(map(described, books)), form.media_type)
    response["Content-Disposition"] = f'attachment; filename="list.{form.ending}"'
    return response


@require_safe
def own_libraries(request: HttpRequest) -> HttpResponse:
    """Return book id -> [{name, link}] for those of the reader's libraries that hold books of a page, as JSON.

    Libraries that do not exist any more are ignored.
    """
    try:
        books = _values(request.GET.getlist("book"), "book", _BOOK, MOST_BOOKS)
        libraries = known_libraries(_values(request.GET.getlist("library"), "library", _LIBRARY, OWN_LIMIT))
    except BadParameter as problem:
        return _refused(problem)
    found = held_by(libraries, [int(book[1:]) for book in books])
    return JsonResponse(
        {f"M{book}": [{"name": name, "link": link} for name, link in own] for book, own in found.items()}
    )


def _refused(problem: BadParameter) -> HttpResponse:
    return HttpResponse(f"{problem}\n", "text/plain; charset=utf-8", 400)


def _ids(request: HttpRequest) -> list[str]:
    """Return the ids in the order of the list. Raises BadParameter."""
    return _values(request.POST.getlist("id"), "id", _ID, LIST_LIMIT)


def _values(given: list[str], name: str, pattern: re.Pattern[str], most: int) -> list[str]:
    """Return the ids of a parameter without repetitions. Raises BadParameter."""
    ids = list(dict.fromkeys(given))
    if len(ids) > most:
        raise BadParameter(name, _("At most %(limit)d values are allowed.") % {"limit": most})
    if bad := next((public_id for public_id in ids if not pattern.fullmatch(public_id)), ""):
        raise BadParameter(name, _("This is not an ID: %(text)s") % {"text": bad[:60]})
    return ids
