"""The pages of one heading and of one person. Numbers come from the last counting in the background
(`aggregator.browse`), the books from the index.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.browse.addresses import heading_path, person_path
from aggregator.browse.heading import HeadingFacts, Related, find_heading
from aggregator.browse.kinds import CREATOR, IDENTITY, KINDS, PATHS, PLACE, PUBLISHER, SERIES, SUBJECT
from aggregator.browse.people import Person, find_person
from aggregator.indexing.searching import search
from aggregator.query.parameters import address
from aggregator.results.hits import hits
from aggregator.results.value_labels import value_labels
from aggregator.search.base import IndexUnavailable, Query, QueryError, Results
from aggregator.views.browse.links import ClassLink, HeadingLink, kind_names
from metadata import authorities

BOOKS = 24  # books on a page
# Kind -> the facet whose values among its books lead on to headings of that kind.
BESIDE = {CREATOR: SUBJECT, SUBJECT: CREATOR, PUBLISHER: SUBJECT, PLACE: PUBLISHER, SERIES: CREATOR}
FACET_OF = {CREATOR: "creator", SUBJECT: "subject", PUBLISHER: "publisher"}
BESIDE_SHOWN = 16


@dataclass(frozen=True, slots=True)
class Authority:
    """An identifier: its words, its page elsewhere, and here the page of its works, "" if there is none."""

    name: str
    url: str
    works: str


def heading(request: HttpRequest, path: str, name: str) -> HttpResponse:
    """Show one heading. Another name of a person leads to the page of the main one; 404 for a name without books."""
    kind = KINDS[path]
    if not name.isprintable():
        raise Http404(name)
    facts = find_heading(kind, name)
    if facts.label != name:
        return redirect(heading_path(facts.label, kind))
    found, unavailable = _books(facts.query, ("ndc", FACET_OF[BESIDE[kind]]))
    if not found.total and not unavailable and not facts.counted and not facts.relations:
        raise Http404(name)
    context = _shown(kind, facts, found, unavailable) | {
        "name": name,
        "canonical": f"{settings.PUBLIC_URL}{heading_path(name, kind)}",
        "authorities": list(map(_authority, facts.identifiers)),
        "relations": _relations(facts),
        "beside": _beside(BESIDE[kind], found, {name, *facts.searched}),
        "beside_name": kind_names()[BESIDE[kind]],
        "classes": _classes(facts, found),
    }
    return render(request, "browse/heading.html", context)


def person(request: HttpRequest, scheme: str, number: str) -> HttpResponse:
    """Show the works of a person or body, at all providers, by one identifier; never by the name.

    Another spelling of the identifier leads to its normal form; 404 for one with wrong check digits or without works.
    """
    identifier = authorities.authority(scheme, number)
    if not authorities.is_identity(identifier):
        raise Http404(request.path)
    if identifier != f"{scheme} {number}":
        return redirect(person_path(identifier))
    facts = find_person(identifier)
    found, unavailable = _books(facts.query, ("repository", "creator"))
    if not found.total and not unavailable and not facts.label:
        raise Http404(request.path)
    context = _shown(IDENTITY, facts, found, unavailable) | {
        "name": facts.label or authorities.name_of(identifier),
        "canonical": f"{settings.PUBLIC_URL}{person_path(identifier)}",
        "own": _authority(identifier),
        "authorities": list(map(_authority, facts.others)),
        "providers": _providers(facts, found),
        "beside": _beside(CREATOR, found, {facts.label, *facts.names}),
        "beside_name": _("Together with"),
    }
    return render(request, "browse/person.html", context)


def _shown(kind: str, facts: HeadingFacts | Person, found: Results, unavailable: bool) -> dict[str, Any]:
    """Return what both pages show: the facts, their place in the list of all, and the books."""
    place = urlencode({"letter": facts.letter, "from": facts.key})
    in_list = reverse("browse_list", args=[PATHS[kind]])
    return {
        "facts": facts,
        "kind_name": kind_names()[kind],
        "in_list": f"{in_list}?{place}" if facts.letter else in_list,
        "total": found.total,
        "hits": hits([number for number, _score in found.hits], 1, False),
        "unavailable": unavailable,
        "all": address(replace(facts.query, sort="newest"), reverse("search")),
    }


def _books(query: Query, facets: tuple[str, ...]) -> tuple[Results, bool]:
    """Return the newest books with the facets that lead on, and whether the index is unavailable."""
    try:
        return search(replace(query, sort="newest", page_size=BOOKS), facets=facets), False
    except (IndexUnavailable, QueryError):
        return Results(total=0, hits=()), True


def _authority(identifier: str) -> Authority:
    works = person_path(identifier) if authorities.is_identity(identifier) else ""
    return Authority(authorities.name_of(identifier), authorities.page_of(identifier), works)


def _relations(facts: HeadingFacts) -> list[tuple[str, list[tuple[Related, str]]]]:
    """Return the relations in words, each with its headings and their addresses."""
    names = {
        "use": _("Use instead"),
        "broader": _("Broader"),
        "narrower": _("Narrower"),
        "related": _("Related subjects"),
        "used_for": _("Used for"),
    }
    return [
        (names[kind], [(one, heading_path(one.label, SUBJECT)) for one in related]) for kind, related in facts.relations
    ]


def _beside(kind: str, found: Results, own: Set[str]) -> list[HeadingLink]:
    """Return the values of a facet that lead on to headings of a kind, without one's own names."""
    return [
        HeadingLink(one.value, heading_path(one.value, kind), one.count)
        for one in found.facets.get(FACET_OF[kind], ())
        if one.value not in own
    ][:BESIDE_SHOWN]


def _providers(facts: Person, found: Results) -> list[HeadingLink]:
    """Return the providers of the books, each with the search for its books."""
    counted = found.facets.get("repository", ())
    names = value_labels({"repository": counted}, facts.query)["repository"]
    base = reverse("search")
    return [
        HeadingLink(
            names.get(one.value, one.value),
            address(replace(facts.query, repositories=(one.value,), sort="newest"), base),
            one.count,
        )
        for one in counted
    ]


def _classes(facts: HeadingFacts, found: Results) -> list[ClassLink]:
    counted = found.facets.get("ndc", ())
    names = value_labels({"ndc": counted}, facts.query)["ndc"]
    base = reverse("search")
    return [
        ClassLink(
            one.value,
            names.get(one.value, one.value),
            one.count,
            "",
            address(replace(facts.query, ndcs=(one.value,)), base),
        )
        for one in counted
    ]
