"""The list that a reader keeps in the browser: its page, its records, and its files. Nothing is stored."""

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from aggregator.catalogue.saved_lists import FORMATS, saved_books
from aggregator.models import BOOK_ID
from aggregator.presentation.representations import with_permanent_address
from aggregator.query.parameters import BadParameter
from aggregator.results.hits import Hit
from aggregator.search.base import Query
from aggregator.views.public.search import marked_words
from aggregator.views.site_context import LIST_LIMIT
from harvesting.models import PUBLIC_ID

_ID = re.compile(f"{PUBLIC_ID}|{BOOK_ID}")


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
    response = HttpResponse(form.join(map(with_permanent_address, books)), form.media_type)
    response["Content-Disposition"] = f'attachment; filename="list.{form.ending}"'
    return response


def _refused(problem: BadParameter) -> HttpResponse:
    return HttpResponse(f"{problem}\n", "text/plain; charset=utf-8", 400)


def _ids(request: HttpRequest) -> list[str]:
    """Return the ids in the order of the list, without repetitions. Raises BadParameter."""
    ids = list(dict.fromkeys(request.POST.getlist("id")))
    if len(ids) > LIST_LIMIT:
        raise BadParameter("id", _("At most %(limit)d values are allowed.") % {"limit": LIST_LIMIT})
    if bad := next((public_id for public_id in ids if not _ID.fullmatch(public_id)), ""):
        raise BadParameter("id", _("This is not a record ID: %(text)s") % {"text": bad[:60]})
    return ids
