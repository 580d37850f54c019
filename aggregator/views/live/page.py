"""The page of the live search: a part for every catalogue that is asked, whole without a script.

The page is answered at once with what is known. While catalogues are being asked, its script, or the browser by itself,
requests it again; `waited` says for how long the reader has waited. After WAIT, catalogues that have not answered are
said to be late, and the page is done. The script also says which catalogues it shows already (`have`), so that the part
of each is made once for a reader.
"""

import re

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aggregator.live.parts import Part, answered, parts
from aggregator.live.question import Asked, ask
from aggregator.live.sentences import STATES, explanation, left_out, refusals
from aggregator.live.sources import MOST, catalogues
from aggregator.query.parameters import BadParameter, address, read_query
from aggregator.results.conditions import conditions
from aggregator.results.value_labels import value_labels
from aggregator.search.base import Query
from aggregator.views.live.budget import spender
from aggregator.views.public.search import answer_or_error, marked_words

SOURCE, WAITED, HAVE, ONLY = "source", "waited", "have", "only"  # own parameters of this page
PARTS = "parts"  # value of ONLY: the parts without the page around them, which costs more to make than they do
WAIT = 3200  # milliseconds that a reader waits at most
STEP = 800  # milliseconds after which a browser without the script asks again
HITS_SHOWN = 5  # of a catalogue; the others are unfolded
_NUMBER = re.compile(r"R[0-9]{9}")


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponseBase:
    """Show the hits of other catalogues. 400 says which parameter is wrong."""

    def answer() -> HttpResponse:
        query = read_query(without_own(request.GET))
        waited = waited_of(request.GET)
        asked = ask(query)
        every = catalogues(numbers_of(request.GET, SOURCE))
        have = numbers_of(request.GET, HAVE)
        wanted = [catalogue for catalogue in every if catalogue.number not in have]
        shown = parts(asked, wanted, spender(request), waited >= WAIT)
        progress = _progress(request, shown, waited, len(every))
        if request.GET.get(ONLY) == PARTS:
            return render(request, "search/live_parts.html", {**_of_parts(query), **progress})
        return render(request, "search/live.html", {**_context(query, asked), **progress})

    return answer_or_error(request, answer)


def without_own(data: QueryDict) -> QueryDict:
    """Return the parameters without those that only this page has."""
    plain = data.copy()
    for name in (SOURCE, WAITED, HAVE, ONLY):
        plain.pop(name, None)
    return plain


def numbers_of(data: QueryDict, name: str) -> list[str]:
    """Return the numbers of live sources that a parameter lists. Raises BadParameter."""
    numbers = list(dict.fromkeys(data.getlist(name)))
    if len(numbers) > MOST:
        raise BadParameter(name, _("At most %(limit)d values are allowed.") % {"limit": MOST})
    if bad := next((text for text in numbers if not _NUMBER.fullmatch(text)), ""):
        raise BadParameter(name, _("This is not an ID: %(text)s") % {"text": bad[:60]})
    return numbers


def waited_of(data: QueryDict) -> int:
    """Return for how many milliseconds the reader has waited. Raises BadParameter."""
    text = data.get(WAITED, "0")
    if not re.fullmatch(r"[0-9]{1,5}", text):
        raise BadParameter(WAITED, _("This is not a number: %(text)s") % {"text": text[:60]})
    return int(text)


def _context(query: Query, asked: Asked) -> dict[str, object]:
    own = reverse("search")
    return {
        "query": query,
        "asked": asked,
        "conditions": conditions(query, value_labels({}, query), own),
        "own_results": address(query, own),
        "left_out": left_out(asked),
        **_of_parts(query),
    }


def _of_parts(query: Query) -> dict[str, object]:
    return {"hits_shown": HITS_SHOWN, **marked_words(query)}


def _progress(request: HttpRequest, shown: list[Part], waited: int, every: int) -> dict[str, object]:
    """Return the context for the parts that are shown and the request for the rest. every: the number of sources."""
    again = request.GET.copy()
    for name in (WAITED, HAVE, ONLY):
        again.pop(name, None)
    next_step = again.copy()
    next_step[WAITED] = str(waited + STEP)
    is_done = answered(shown) == len(shown)
    in_words = [(STATES[part.state], explanation(part.state, part.code), refusals(part.refused)) for part in shown]
    return {
        "parts": [(part, *words) for part, words in zip(shown, in_words, strict=True)],
        "asked_catalogues": every,
        "answered": every - len(shown) + answered(shown),
        "again": f"{request.path}?{again.urlencode()}",
        "refresh": "" if is_done else f"{request.path}?{next_step.urlencode()}",
        "refresh_seconds": 1,
        "wait": WAIT,
    }
