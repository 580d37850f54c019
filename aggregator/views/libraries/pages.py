"""The public pages of libraries: all of them by region, those of one place, and one library."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.catalogue.found_library import Found, facts_of, find_library
from aggregator.catalogue.library_lists import NOWHERE, PAGE, libraries_of, matching_libraries, region_counts
from aggregator.libraries.addresses import library_path, library_url
from aggregator.libraries.regions import MUNICIPALITIES, PREFECTURES, REGIONS, Place, place
from aggregator.models import Library
from aggregator.presentation.library_data import structured_library
from aggregator.presentation.prefecture_map import HEIGHT, WIDTH, map_tiles
from aggregator.query import values
from aggregator.query.values import BadParameter, refuse_controls
from aggregator.statistics.of_one import of_library

PARAMETERS = ("q", "region", "page")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The parameters of the list, read. region: a JIS code, NOWHERE or ""."""

    text: str
    region: str
    page: int


@dataclass(frozen=True, slots=True)
class Group:
    """The libraries of one municipality on a page. name: "" where the municipality is not known by name."""

    name: str
    libraries: tuple[Library, ...]


def libraries(request: HttpRequest) -> HttpResponse:
    """Show the regions with the map; with `region=` the libraries of a place, with `q=` those that a text finds."""
    try:
        asked = _asked(request)
    except BadParameter as problem:
        return render(request, "errors/parameter.html", {"problem": problem}, status=400)
    if asked.text or asked.region:
        return render(request, "libraries/list.html", _list(asked))
    regions, elsewhere = region_counts()
    context = {
        "regions": regions,
        "elsewhere": elsewhere,
        "total": elsewhere + sum(region.libraries for region in regions),
        "tiles": map_tiles(prefecture for region in regions for prefecture in region.prefectures),
        "map_width": WIDTH,
        "map_height": HEIGHT,
        "places": REGIONS,
        "towns": MUNICIPALITIES.values(),
    }
    return render(request, "libraries/index.html", context)


def library(request: HttpRequest, code: str) -> HttpResponse:
    """Show a library under its number or any of its codes. A code of a merged library leads to the present one."""
    found = find_library(code)
    if not found.libraries:
        raise Http404(code)
    if len(found.libraries) > 1:
        return render(request, "libraries/choices.html", {"code": code, "libraries": found.libraries}, status=300)
    if found.moved:
        return _moved(found)
    shown = found.libraries[0]
    facts = facts_of(shown)
    context = {
        "library": shown,
        "facts": facts,
        "closed": shown.is_closed(timezone.localdate()),
        "crumbs": _places_of(shown),
        "canonical": library_url(shown.pk),
        "structured_data": structured_library(facts),
        "statistics": of_library(shown),
    }
    return render(request, "libraries/library.html", context)


def _places_of(library: Library) -> list[Place]:
    """The prefecture and the municipality of a library, as far as they have names."""
    codes = dict.fromkeys((library.prefecture or library.municipality[:2], library.municipality))
    found = [place(code) for code in codes if code]
    return list(dict.fromkeys(one for one in found if one))


def _moved(found: Found) -> HttpResponse:
    """Redirect for good; but browsers must ask again, because staff can undo a merger."""
    response = redirect(library_path(found.libraries[0].pk), permanent=True)
    patch_cache_control(response, no_cache=True)
    return response


def _asked(request: HttpRequest) -> _Asked:
    """Return the parameters of the list. Raises BadParameter."""
    if unknown := set(request.GET) - set(PARAMETERS):
        names = ", ".join(PARAMETERS)
        raise BadParameter(min(unknown), _("Unknown parameter. Allowed: %(names)s.") % {"names": names})
    text, page = (request.GET.get(name, "").strip() for name in ("q", "page"))
    refuse_controls("q", text)
    region = request.GET.get("region", "").strip()
    if region not in ("", NOWHERE):
        region = values.region("region", region)
    return _Asked(text, region, values.page("page", page) if page else 1)


def _list(asked: _Asked) -> dict[str, Any]:
    """Return the context of a list: what a text finds, in one place or everywhere, or all libraries of a place."""
    found = matching_libraries(asked.text, asked.region) if asked.text else libraries_of(asked.region)
    page = Paginator(found, PAGE).get_page(asked.page)
    return {
        "q": asked.text,
        "region": asked.region,
        "here": place(asked.region),
        "prefecture": PREFECTURES.get(asked.region[:2]) if len(asked.region) > 2 else None,
        "page": page,
        "total": page.paginator.count,
        "groups": [Group("", tuple(page))] if asked.text else list(_groups(page)),
        "today": timezone.localdate(),
        "start": urlencode({"q": asked.text, "region": asked.region}) + "&",
    }


def _groups(libraries: Iterable[Library]) -> Iterator[Group]:
    """The libraries by municipality; those of municipalities without a name in one group after the others."""
    language = get_language() or ""
    unnamed: list[Library] = []
    for code, own in groupby(libraries, key=lambda library: library.municipality):
        if code in MUNICIPALITIES:
            yield Group(MUNICIPALITIES[code].name(language), tuple(own))
        else:
            unnamed += own
    if unnamed:
        yield Group("", tuple(unnamed))
