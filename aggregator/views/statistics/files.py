"""The numbers of the statistics as CSV and JSON, for spreadsheets and programs. Their shapes are documented in
docs/reference/interfaces.md and stay; values are the codes of the search, not names in a language.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models.functions import TruncMonth
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from aggregator.libraries.numbers import library_number
from aggregator.models import ContentFigures, Library, UseCount
from aggregator.statistics.figures import whole
from aggregator.statistics.shares import TITLES, TRAITS, months_in
from aggregator.statistics.tallies import ONLINE
from aggregator.statistics.use_days import months_of
from core.spreadsheet import as_csv
from harvesting.models import Repository

type Row = tuple[object, ...]
type Table = tuple[tuple[str, ...], Callable[[], Iterator[Row]]]
type Numbers = dict[int, tuple[str, str]]  # key -> public number and name
OF_HOLDERS_BY_TYPE = {"type-decades": ("decade", "type_decade"), "type-licences": ("licence", "type_licence")}
OF_HOLDERS = {  # end of the name of a file -> its column, and the property that it has
    "types": ("type", "type"),
    "classes": ("class", "class"),
    "decades": ("decade", "decade"),
    "licences": ("licence", "licence"),
}


def _providers() -> Numbers:
    rows = Repository.objects.listed().values_list("pk", "number", "name")
    return {pk: (number, name) for pk, number, name in rows}


def _libraries() -> Numbers:
    rows = Library.objects.current().values_list("pk", "name")
    return {pk: (library_number(pk), name) for pk, name in rows}


NUMBERS: dict[str, Callable[[], Numbers]] = {"provider": _providers, "library": _libraries}


def _of_all(name: str) -> Callable[[], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        figures = whole()
        yield from (figures.by(name) if figures else {}).items()

    return rows


def _of_two(name: str) -> Callable[[], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        figures = whole()
        for first, counts in (figures.table(name) if figures else {}).items():
            for second, count in counts.items():
                yield first, second, count

    return rows


def _largest(kind: str) -> Iterator[tuple[str, str, ContentFigures]]:
    """Yield public number, name and counts of every provider or library that the site shows, the largest first."""
    numbers = NUMBERS[kind]()
    for row in ContentFigures.objects.filter(kind=kind).order_by("-books", "number").iterator():
        if row.number in numbers:
            yield *numbers[row.number], row


def _holders(kind: str) -> Callable[[], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        for number, name, row in _largest(kind):
            yield number, name, row.books, row.counts.get("online", {}).get(ONLINE, 0)

    return rows


def _by_holder(kind: str, name: str) -> Callable[[], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        for number, _name, row in _largest(kind):
            for value, count in row.counts.get(name, {}).items():
                yield number, value, count

    return rows


def _by_holder_and_type(kind: str, name: str) -> Callable[[], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        for number, _name, row in _largest(kind):
            for value, counts in row.counts.get(name, {}).items():
                for second, count in counts.items():
                    yield number, value, second, count

    return rows


def _shares() -> Iterator[Row]:
    figures = whole()
    for month in months_in(figures.counts) if figures else ():
        yield month.month, month.titles, *month.counts


def _shares_of_providers() -> Iterator[Row]:
    for number, _name, row in _largest("provider"):
        for month in months_in(row.counts):
            yield number, month.month, month.titles, *month.counts


def _pairs() -> Iterator[Row]:
    libraries = _libraries()
    for number, _name, row in _largest("provider"):
        for partner, count in row.counts.get("partner", {}).items():
            if int(partner) in libraries:
                yield number, libraries[int(partner)][0], count


def _use() -> Iterator[Row]:
    for month in months_of(UseCount.Kind.ALL):
        yield month.month.strftime("%Y-%m"), month.opened, month.followed


def _use_of(kind: str) -> Callable[[], Iterator[Row]]:
    def rows() -> Iterator[Row]:
        numbers = NUMBERS[kind]()
        counted = UseCount.objects.filter(kind=kind).annotate(month=TruncMonth("day")).order_by("number", "day")
        for number, month, opened, followed in _summed(counted.values_list("number", "month", "opened", "followed")):
            if number in numbers:
                yield numbers[number][0], month, opened, followed

    return rows


def _summed(rows: Iterable[tuple[int, Any, int, int]]) -> Iterator[tuple[int, str, int, int]]:
    """Add up the rows of the same number and month, which are next to each other."""
    last: tuple[int, str, int, int] | None = None
    for number, month, opened, followed in rows:
        named = f"{month:%Y-%m}"
        if last and last[:2] == (number, named):
            last = (number, named, last[2] + opened, last[3] + followed)
            continue
        if last:
            yield last
        last = (number, named, opened, followed)
    if last:
        yield last


def _files_of(kind: str) -> dict[str, Table]:
    by_one = {
        f"{kind}-{name}": ((kind, column, "books"), _by_holder(kind, key)) for name, (column, key) in OF_HOLDERS.items()
    }
    by_two = {
        f"{kind}-{name}": ((kind, "type", column, "books"), _by_holder_and_type(kind, key))
        for name, (column, key) in OF_HOLDERS_BY_TYPE.items()
    }
    return {**by_one, **by_two}


# name of the file -> its columns, and the function that returns its rows
TABLES: dict[str, Table] = {
    "types": (("type", "books"), _of_all("type")),
    "classes": (("class", "books"), _of_all("class")),
    "years": (("year", "books"), _of_all("year")),
    "licences": (("licence", "books"), _of_all("licence")),
    "arrivals": (("month", "records"), _of_all("arrived")),
    "class-years": (("class", "year", "books"), _of_two("class_year")),
    "type-years": (("type", "year", "books"), _of_two("type_year")),
    "type-licences": (("type", "licence", "books"), _of_two("type_licence")),
    "providers": (("provider", "name", "books", "online"), _holders("provider")),
    **_files_of("provider"),
    "provider-arrivals": (("provider", "month", "records"), _by_holder("provider", "arrived")),
    "provider-libraries": (("provider", "library", "books"), _pairs),
    "shares": (("month", TITLES, *TRAITS), _shares),
    "provider-shares": (("provider", "month", TITLES, *TRAITS), _shares_of_providers),
    "libraries": (("library", "name", "books", "online"), _holders("library")),
    **_files_of("library"),
    "use": (("month", "opened", "followed"), _use),
    "provider-use": (("provider", "month", "opened", "followed"), _use_of("provider")),
    "library-use": (("library", "month", "opened", "followed"), _use_of("library")),
}


@gzip_page
@require_safe
def csv_file(_request: HttpRequest, name: str) -> HttpResponse:
    """Return one table as CSV."""
    if name not in TABLES:
        raise Http404(name)
    columns, rows = TABLES[name]
    response = HttpResponse(as_csv(columns, rows()), "text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@gzip_page
@require_safe
def json_file(_request: HttpRequest) -> JsonResponse:
    """Return all counts of the whole catalogue as JSON."""
    figures = whole()
    answer: dict[str, object] = {
        "counted": figures.counted_at if figures else None,
        "books": figures.books if figures else 0,
        "online": figures.online if figures else 0,
    }
    for name in ("types", "classes", "years", "licences", "arrivals"):
        answer[name] = dict(TABLES[name][1]())  # type: ignore[arg-type]
    for name, key in (("class_years", "class_year"), ("type_years", "type_year"), ("type_licences", "type_licence")):
        answer[name] = figures.table(key) if figures else {}
    answer["use"] = [dict(zip(("month", "opened", "followed"), row, strict=True)) for row in _use()]
    return JsonResponse(answer, json_dumps_params={"ensure_ascii": False})
