"""The pages by which readers browse: ways, lists of headings, one heading, classes, what is new. Numbers come from the
last counting in the background (`aggregator.browse`); a heading's own books and those that are new from the index.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from aggregator.browse import lists
from aggregator.browse.addresses import heading_path, person_path
from aggregator.browse.counting import current_run
from aggregator.browse.heading import HeadingFacts, Related, find_heading
from aggregator.browse.kinds import CREATOR, DIGITS, IDENTITY, KINDS, PATHS, PLACE, PUBLISHER, SERIES, SUBJECT
from aggregator.browse.letters import LATIN, LETTERS, ROWS, shown
from aggregator.browse.lists import Letter, Place
from aggregator.browse.people import find_person
from aggregator.indexing.searching import search
from aggregator.models import Heading
from aggregator.presentation.field_labels import class_name
from aggregator.query import values
from aggregator.query.parameters import TEXT_LIMIT, BadParameter, address, cursor
from aggregator.results.hits import hits
from aggregator.results.value_labels import value_labels
from aggregator.search.base import ADDED, FacetValue, IndexUnavailable, Query, QueryError, Results
from aggregator.statistics.home import newest_books
from metadata import authorities
from metadata.vocabularies.ndc import MAIN

SAMPLES = 8  # headings of each kind on the page of all ways
LARGEST = 60  # headings with most books, before a letter is chosen
BOOKS = 24  # books on a heading's page
NEW = 48  # books on a page of new ones
ROW_DIGITS = 10  # so that a row number of an address fits into the database
# Kind -> the facet whose values among its books lead on to headings of that kind.
BESIDE = {CREATOR: SUBJECT, SUBJECT: CREATOR, PUBLISHER: SUBJECT, PLACE: PUBLISHER, SERIES: CREATOR}
FACET_OF = {CREATOR: "creator", SUBJECT: "subject", PUBLISHER: "publisher"}
BESIDE_SHOWN = 16


@dataclass(frozen=True, slots=True)
class HeadingLink:
    """A link to a heading. see: the main heading, if this is another name of it."""

    label: str
    url: str
    books: int = 0
    reading: str = ""
    see: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """A way to browse: its name, its page, the number of its headings, and those with most books."""

    kind: str
    name: str
    url: str
    headings: int
    largest: tuple[HeadingLink, ...]


@dataclass(frozen=True, slots=True)
class LetterLink:
    """A letter: its sign on the page, and the address of its headings, "" if there are none."""

    sign: str
    url: str
    headings: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Authority:
    """An identifier: its words, its page elsewhere, and here the page of its works, "" if there is none."""

    name: str
    url: str
    works: str


@dataclass(frozen=True, slots=True)
class ClassLink:
    """An NDC class with its books; url: of its narrower classes, or of the search for its books."""

    number: str
    name: str
    books: int
    url: str
    search: str


def kind_names() -> dict[str, str]:
    """Return the names of the kinds, as headings of pages."""
    return {
        CREATOR: _("Authors"),
        SUBJECT: _("Subjects"),
        PUBLISHER: _("Publishers"),
        PLACE: _("Places of publication"),
        SERIES: _("Series titles"),
        IDENTITY: _("Persons and organisations with an identifier"),
    }


def ways(request: HttpRequest) -> HttpResponse:
    """Show all ways to browse, each with its largest headings. Nine queries."""
    run = current_run()
    found = [
        Way(
            kind,
            name,
            reverse("browse_list", args=[PATHS[kind]]),
            sum(run.letters.get(kind, {}).values()) if run else 0,
            tuple(_links(kind, lists.largest(run, kind, SAMPLES))) if run else (),
        )
        for kind, name in kind_names().items()
    ]
    counts = lists.class_counts(run, MAIN)
    main_classes = [_class(number, counts) for number in MAIN]
    return render(
        request, "browse/ways.html", {"ways": found, "classes": main_classes, "run": run, "newest": newest_books()}
    )


def headings(request: HttpRequest, path: str) -> HttpResponse:
    """List the headings of one kind: a page of a letter, or those with most books before a letter is chosen.

    `?letter=ア`: the headings of a letter. `?from=なつめ`: from this beginning on. `?from=…&row=…`: another page.
    """
    kind, run = KINDS[path], current_run()
    letter, place = _chosen(request)
    largest = list(_links(kind, lists.largest(run, kind, LARGEST))) if run and not letter else []
    found = lists.page(run, kind, letter, place) if run and letter else None
    base = reverse("browse_list", args=[path])
    context = {
        "path": path,
        "name": kind_names()[kind],
        "run": run,
        "letter": letter,
        "sign": _sign(letter) if letter else "",
        "typed": request.GET.get("from", "") if "row" not in request.GET else "",
        "rows": _letter_rows(lists.letters(run, kind) if run else [], base, letter),
        "headings": list(_links(kind, found.headings)) if found else [],
        "largest": largest,
        "nothing": _nothing(kind) if run and not (letter or largest) else "",
        "before": _page_address(base, letter, found.before) if found else "",
        "after": _page_address(base, letter, found.after) if found else "",
    }
    return render(request, "browse/list.html", context)


def _nothing(kind: str) -> str:
    """What a list says that has no headings."""
    if kind == IDENTITY:
        return _("So far no record names a person or an organisation with an identifier such as ORCID or ISNI.")
    return _("So far no record has such a heading.")


def _chosen(request: HttpRequest) -> tuple[str, Place]:
    """Return the letter and the place that the address asks for. Raises Http404 for an unknown letter or row."""
    typed, row = request.GET.get("from", "")[:TEXT_LIMIT], request.GET.get("row", "0")
    letter = request.GET.get("letter", "")
    if (letter and letter not in LETTERS) or not (row.isascii() and row.isdecimal() and len(row) <= ROW_DIGITS):
        raise Http404(request.path)
    if not typed.isprintable():
        raise Http404(request.path)
    if letter:
        return letter, Place(typed, int(row))
    return lists.place_of(typed)


def _page_address(base: str, letter: str, place: Place | None) -> str:
    if place is None:
        return ""
    return f"{base}?{urlencode({'letter': letter, 'from': place.key, 'row': place.row})}"


def _links(kind: str, rows: Iterable[Heading]) -> Iterator[HeadingLink]:
    for row in rows:
        if kind == IDENTITY:  # several rows may have one name, those of one person among them
            identifier = row.code[1:]
            name = f"{row.label} ({identifier.partition(' ')[0]})"
            yield HeadingLink(name, person_path(identifier), row.books, row.reading)
        else:
            yield HeadingLink(row.label, heading_path(row.label, kind), row.books, row.reading, bool(row.main))


def _letter_rows(found: list[Letter], base: str, chosen: str) -> list[list[LetterLink]]:
    """Return the letters in rows: those of kana, then the Latin ones, then all others; empty rows are left out."""
    links = {
        one.letter: LetterLink(
            _sign(one.letter),
            f"{base}?{urlencode({'letter': one.letter})}" if one.headings else "",
            one.headings,
            one.letter == chosen,
        )
        for one in found
    }
    rows = [*ROWS, LATIN, [letter for letter in LETTERS if letter not in LATIN and letter not in "".join(ROWS)]]
    filled = [[links[letter] for letter in row] for row in rows if links]
    return [row for row in filled if any(link.url for link in row)]


def _sign(letter: str) -> str:
    return shown(letter) or _("others")


def heading(request: HttpRequest, path: str, name: str) -> HttpResponse:
    """Show one heading. Another name of a person leads to the page of the main one; 404 for a name without books."""
    kind = KINDS[path]
    if not name.isprintable():
        raise Http404(name)
    facts = find_heading(kind, name)
    if facts.label != name:
        return redirect(heading_path(facts.label, kind))
    found, unavailable = _books(replace(facts.query, sort="newest", page_size=BOOKS), ("ndc", FACET_OF[BESIDE[kind]]))
    if not found.total and not unavailable and not facts.counted and not facts.relations:
        raise Http404(name)
    base = reverse("search")
    context = {
        "path": path,
        "kind_name": kind_names()[kind],
        "facts": facts,
        "canonical": f"{settings.PUBLIC_URL}{heading_path(facts.label, kind)}",
        "authorities": list(map(_authority, facts.identifiers)),
        "relations": _relations(facts),
        "beside": _beside(kind, facts, found),
        "beside_name": kind_names()[BESIDE[kind]],
        "classes": _class_facets(facts, found, base),
        "total": found.total,
        "hits": hits([number for number, _score in found.hits], 1, False),
        "unavailable": unavailable,
        "all": address(replace(facts.query, sort="newest"), base),
        "in_list": f"{reverse('browse_list', args=[path])}?{urlencode({'letter': facts.letter, 'from': facts.key})}",
    }
    return render(request, "browse/heading.html", context)


def _authority(identifier: str) -> Authority:
    works = person_path(identifier) if authorities.is_identity(identifier) else ""
    return Authority(authorities.name_of(identifier), authorities.page_of(identifier), works)


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
    found, unavailable = _books(replace(facts.query, sort="newest", page_size=BOOKS), ("repository", "creator"))
    if not found.total and not unavailable and not facts.label:
        raise Http404(request.path)
    base = reverse("search")
    providers = found.facets.get("repository", ())
    names = value_labels({"repository": providers}, facts.query)["repository"]
    context = {
        "facts": facts,
        "name": facts.label or authorities.name_of(identifier),
        "canonical": f"{settings.PUBLIC_URL}{person_path(identifier)}",
        "own": _authority(identifier),
        "authorities": list(map(_authority, facts.others)),
        "providers": [
            HeadingLink(
                names.get(one.value, one.value),
                address(replace(facts.query, repositories=(one.value,), sort="newest"), base),
                one.count,
            )
            for one in providers
        ],
        "beside": _named_beside(CREATOR, found, {facts.label, *facts.names}),
        "total": found.total,
        "hits": hits([number for number, _score in found.hits], 1, False),
        "unavailable": unavailable,
        "all": address(replace(facts.query, sort="newest"), base),
        "kind_name": kind_names()[IDENTITY],
        "in_list": f"{reverse('browse_list', args=[PATHS[IDENTITY]])}"
        + (f"?{urlencode({'letter': facts.letter, 'from': facts.key})}" if facts.letter else ""),
    }
    return render(request, "browse/person.html", context)


def _books(query: Query, facets: tuple[str, ...]) -> tuple[Results, bool]:
    """Return the search's hits with the facets that lead on, and whether the index is unavailable."""
    try:
        return search(query, facets=facets), False
    except (IndexUnavailable, QueryError):
        return Results(total=0, hits=()), True


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


def _beside(kind: str, facts: HeadingFacts, found: Results) -> list[HeadingLink]:
    return _named_beside(BESIDE[kind], found, {facts.label, *facts.searched})


def _named_beside(kind: str, found: Results, own: Set[str]) -> list[HeadingLink]:
    """Return the values of a facet that lead on to headings of a kind, without one's own names."""
    return [
        HeadingLink(one.value, heading_path(one.value, kind), one.count)
        for one in found.facets.get(FACET_OF[kind], ())
        if one.value not in own
    ][:BESIDE_SHOWN]


def _class_facets(facts: HeadingFacts, found: Results, base: str) -> list[ClassLink]:
    counted: tuple[FacetValue, ...] = found.facets.get("ndc", ())
    labels = value_labels({"ndc": counted}, facts.query)["ndc"]
    return [
        ClassLink(
            one.value,
            labels.get(one.value, one.value),
            one.count,
            "",
            address(replace(facts.query, ndcs=(one.value,)), base),
        )
        for one in counted
    ]


def classes(request: HttpRequest, number: str = "") -> HttpResponse:
    """Show the tree of NDC: the ten main classes with their divisions, or one class with all below it."""
    run = current_run()
    top = [number] if number else list(MAIN)
    below = [lists.narrower_classes(one) for one in top]
    counts = lists.class_counts(run, [*top, *(one for ten in below for one in ten)])
    tree = [
        (_class(one, counts), [_class(narrower, counts) for narrower in ten if counts.get(narrower)])
        for one, ten in zip(top, below, strict=True)
    ]
    above = [_class(number[:digits], counts) for digits in range(1, len(number))]
    return render(
        request,
        "browse/classes.html",
        {"tree": tree, "number": number, "above": above, "run": run, "name": class_name(number) if number else ""},
    )


def _class(number: str, counts: Mapping[str, int]) -> ClassLink:
    books = counts.get(number, 0)
    name = class_name(number).removeprefix(number).strip()
    found = address(Query(ndcs=(number,)), reverse("search"))
    narrower = len(number) < DIGITS
    return ClassLink(number, name, books, reverse("browse_class", args=[number]) if narrower else found, found)


def new(request: HttpRequest) -> HttpResponse:
    """Show the books that came last into the catalogue, page by page by a cursor of the index."""
    query = Query(sort=ADDED, page_size=NEW)
    after = request.GET.get("after", "")
    unavailable = False
    try:
        found = search(replace(query, after=values.cursor("after", after) if after else ""), facets=())
    except (BadParameter, QueryError) as error:
        raise Http404(request.path) from error
    except IndexUnavailable:
        found, unavailable = Results(total=0, hits=()), True
    context = {
        "hits": hits([number for number, _score in found.hits], 1, False),
        "total": found.total,
        "after": f"{reverse('browse_new')}?{urlencode({'after': cursor(found.next) or ''})}" if found.next else "",
        "is_first": not after,
        "unavailable": unavailable,
    }
    return render(request, "browse/new.html", context)
