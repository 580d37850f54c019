"""The pages by which readers browse: ways, lists of headings, classes, what is new. Numbers come from the last counting
in the background (`aggregator.browse`), the new books from the index.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.browse import lists
from aggregator.browse.counting import current_run
from aggregator.browse.kinds import DIGITS, IDENTITY, KINDS, PATHS
from aggregator.browse.letters import LATIN, LETTERS, ROWS, shown
from aggregator.browse.lists import Letter, Place
from aggregator.indexing.searching import search
from aggregator.presentation.field_labels import class_name
from aggregator.query import values
from aggregator.query.parameters import TEXT_LIMIT, BadParameter, address, cursor
from aggregator.results.hits import hits
from aggregator.search.base import ADDED, IndexUnavailable, Query, QueryError, Results
from aggregator.statistics.home import newest_books
from aggregator.views.browse.links import ClassLink, HeadingLink, heading_links, kind_names
from metadata.vocabularies.ndc import MAIN

SAMPLES = 8  # headings of each kind on the page of all ways
LARGEST = 60  # headings with most books, before a letter is chosen
NEW = 48  # books on a page of new ones
ROW_DIGITS = 10  # so that a row number of an address fits into the database


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


def ways(request: HttpRequest) -> HttpResponse:
    """Show all ways to browse, each with its largest headings. Nine queries."""
    run = current_run()
    found = [
        Way(
            kind,
            name,
            reverse("browse_list", args=[PATHS[kind]]),
            sum(run.letters.get(kind, {}).values()) if run else 0,
            tuple(heading_links(kind, lists.largest(run, kind, SAMPLES))) if run else (),
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
    largest = list(heading_links(kind, lists.largest(run, kind, LARGEST))) if run and not letter else []
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
        "headings": list(heading_links(kind, found.headings)) if found else [],
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
