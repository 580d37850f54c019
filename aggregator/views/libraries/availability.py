"""Whether a book can be borrowed now: data for the script of the book's page, and a page for readers without it.

Nothing here waits for a library: libraries are asked in the background, and the script or the reader comes back for
the replies.
"""

import re

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aggregator.availability.inquiries import Findings, look_up
from aggregator.availability.questions import holders, questions, title_of
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.models import Holding, Library
from aggregator.numbers.following import follow
from aggregator.presentation.availability import shown
from aggregator.query.parameters import BadParameter

MOST = 10  # libraries that one request asks about a book
RETRY_SECONDS = 1
_LIBRARY = re.compile("L[1-9][0-9]{0,17}")


@require_safe
@never_cache
def availability_json(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the known replies, and the libraries being asked. Libraries that cannot be asked are left out."""
    try:
        libraries = _libraries(request)
    except BadParameter as problem:
        return HttpResponse(f"{problem}\n", "text/plain; charset=utf-8", 400)
    found = _findings(_number(public_id), libraries)
    return JsonResponse(
        {
            "libraries": {library_number(library): _as_json(found, library) for library in found.replies},
            "asking": list(map(library_number, found.asking)),
            "retry": RETRY_SECONDS if found.asking else 0,
        }
    )


@require_safe
@never_cache
def availability(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the availability as a page: at the libraries in the address, or else at the first that can be asked."""
    number = _number(public_id)
    if f"M{number}" != public_id:
        return redirect("availability", f"M{number}")
    try:
        libraries = _libraries(request) or holders(number, MOST)
    except BadParameter as problem:
        return render(request, "errors/parameter.html", {"problem": problem}, status=400)
    found = _findings(number, libraries)
    context = {"public_id": public_id, "title": title_of(number), "rows": _rows(number, found), "asking": found.asking}
    return render(request, "libraries/availability.html", context)


def _number(public_id: str) -> int:
    """Return the present number of the book: another one if the book was joined with another. Raises Http404."""
    number = follow([int(public_id[1:])]).get(int(public_id[1:]))
    if number is None:
        raise Http404(public_id)
    return number


def _libraries(request: HttpRequest) -> list[int]:
    """Return the libraries of the address. Raises BadParameter."""
    texts = list(dict.fromkeys(request.GET.getlist("library")))
    if len(texts) > MOST:
        raise BadParameter("library", _("At most %(limit)d values are allowed.") % {"limit": MOST})
    if bad := next((text for text in texts if not _LIBRARY.fullmatch(text)), ""):
        raise BadParameter("library", _("This is not an ID: %(text)s") % {"text": bad[:60]})
    return list(map(library_pk, texts))


def _findings(number: int, libraries: list[int]) -> Findings:
    return look_up(questions(number, libraries))


def _as_json(found: Findings, library: int) -> dict[str, object]:
    reply = found.replies[library]
    words = shown(reply)
    return {
        "state": words.state,
        "sign": words.sign,
        "word": words.word,
        "details": words.details,
        "href": words.href,
        "at": reply.at.isoformat(timespec="seconds"),
    }


def _rows(number: int, found: Findings) -> list[dict[str, object]]:
    """One row for each library: its name, its reply in words (None while it is being asked), its link to the book."""
    numbers = [*found.replies, *found.asking]
    libraries = Library.objects.only("name", "name_en").in_bulk(numbers)
    links = dict(Holding.objects.filter(manifestation=number, library__in=numbers).values_list("library", "link"))
    return [
        {
            "label": libraries[library].label,
            "shown": shown(found.replies[library]) if library in found.replies else None,
            "link": links.get(library, ""),
        }
        for library in numbers
        if library in libraries
    ]
