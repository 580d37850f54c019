"""Converts a search between its two written forms, query string and `Query`. No search engine.

Reads the database only for the libraries that a search names.
"""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from msgspec import structs

from aggregator.query import values
from aggregator.query.library_numbers import library_numbers
from aggregator.query.values import LAST_PAGE, TEXT_LIMIT, BadParameter
from aggregator.search.base import CONDITIONS, TEXTS, Query, QueryError

__all__ = [
    "LABELS",
    "LAST_PAGE",
    "TEXT_LIMIT",
    "BadParameter",
    "address",
    "address_of",
    "cursor",
    "pairs",
    "read_query",
    "refusal",
]
MOST_CHOICES = 50  # values of one parameter: more than a reader clicks, and few enough for an engine
LABELS = {
    "q": gettext_lazy("Keyword"),
    "title": gettext_lazy("Title"),
    "creator": gettext_lazy("Creator"),
    "publisher": gettext_lazy("Publisher"),
    "subject": gettext_lazy("Subject"),
    "journal": pgettext_lazy("in which an article appeared", "Journal or book"),
    "isbn": "ISBN",
    "issn": "ISSN",
    "ndc": gettext_lazy("NDC class"),
    "language": gettext_lazy("Language"),
    "online": gettext_lazy("Readable online"),
    "accessible": gettext_lazy("Accessible format"),
    "kind": gettext_lazy("Content type"),
    "access": gettext_lazy("Access conditions"),
    "fulltext": gettext_lazy("With full text"),
    "licence": gettext_lazy("Licence"),
    "funder_is": gettext_lazy("Funder"),
    "degree_is": gettext_lazy("Degree"),
    "identity_is": gettext_lazy("Person or organisation with an identifier"),
    "subject_is": gettext_lazy("Subject"),
    "creator_is": gettext_lazy("Creator"),
    "publisher_is": gettext_lazy("Publisher"),
    "place_is": gettext_lazy("Place of publication"),
    "series_is": gettext_lazy("Series"),
    "mediatype": gettext_lazy("Mediatype of NDL Search"),
    "collection": gettext_lazy("Collection of NDL"),
    "repository": gettext_lazy("Provider"),
    "region": gettext_lazy("Region"),
    "library": gettext_lazy("Library"),
    "type": gettext_lazy("Material type"),
    "from": gettext_lazy("Year from"),
    "until": gettext_lazy("Year until"),
    "sort": gettext_lazy("Order"),
    "page": gettext_lazy("Page"),
    "size": gettext_lazy("Hits per page"),
    "cursor": gettext_lazy("Cursor"),
}


_REFUSALS = {
    "too_long": gettext_lazy("At most %(limit)d characters are allowed."),
    "too_many_words": gettext_lazy("At most %(limit)s words are allowed."),
    "too_many_conditions": gettext_lazy(
        "At most %(limit)d words and phrases are allowed; the limit is exceeded at character %(place)d."
    ),
    "too_deep_brackets": gettext_lazy(
        "Brackets may be nested at most %(limit)d levels deep; the one at character %(place)d is too deep."
    ),
    "bad_mark": gettext_lazy("Use the value of “next” from the previous response unchanged, with the same search."),
    "too_common": gettext_lazy(
        "Too many of these words occur in very many records to be searched at once. Leave some "
        "out, for example: %(words)s."
    ),
    "too_deep": gettext_lazy("Only the first %(limit)s hits can be displayed. Please narrow the search."),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One name of the query string: the field of Query that it fills, and the function that reads its text.

    read_all: reads all texts of the parameter at once, after `read` has read each.
    """

    field: str
    read: Callable[[str, str], Any]
    several: bool = False
    read_all: Callable[[str, Iterable[Any]], tuple[Any, ...]] | None = None


def read_query(data: QueryDict, machine: bool = False) -> Query:
    """Return the search that a query string asks for. Raises BadParameter.

    machine: also accept the parameters of the JSON search (cursor, dates of change, orders for programs).
    """
    known = PARAMETERS | EXCLUDING | (MACHINE_PARAMETERS if machine else {})
    arguments: dict[str, Any] = {}
    excluded: list[tuple[str, str]] = []
    for name in data:
        if name not in known:
            raise BadParameter(name, _unknown(machine), _("The address contains a condition that is not known here."))
        values_read = _read(name, data.getlist(name), known[name])
        if name in EXCLUDING:
            excluded += [(name[1:], _written(value)) for value in values_read]
        elif values_read:
            arguments[known[name].field] = values_read if known[name].several else values_read[0]
    query = Query(**arguments, excluded=tuple(excluded))
    if query.from_year and query.until_year and query.from_year > query.until_year:
        raise BadParameter("from", _("The first year must not be later than the last year."))
    return query


def _unknown(machine: bool) -> str:
    names = ", ".join(PARAMETERS | (MACHINE_PARAMETERS if machine else {}))
    excludable = ", ".join(CONDITIONS)
    return _("Unknown parameter. Allowed: %(names)s. Can be excluded with a leading -: %(excludable)s.") % {
        "names": names,
        "excludable": excludable,
    }


def refusal(error: QueryError) -> BadParameter:
    """Return an error of the index as the parameter to change and the reason."""
    name = str(error.facts.get("field", "page" if error.code == "too_deep" else "q"))
    reason = _REFUSALS.get(error.code)
    return BadParameter(
        name, reason % error.facts if reason else _("The search is not possible: %(code)s.") % {"code": error.code}
    )


def typed(data: QueryDict) -> Query:
    """Return a query with only the free texts, however invalid the rest is: for the search box of an error page."""
    texts: dict[str, Any] = {name: data.get(name, "")[:TEXT_LIMIT] for name in TEXTS}
    return Query(**texts)


def pairs(query: Query) -> list[tuple[str, str]]:
    """Return the query string of a search as pairs of name and value; defaults are left out."""
    written: list[tuple[str, str]] = []
    for name, parameter in PARAMETERS.items():
        value = getattr(query, parameter.field)
        if value != DEFAULTS[parameter.field]:
            written += [(name, _written(part)) for part in (value if parameter.several else (value,))]
    return written + [(f"-{name}", value) for name, value in query.excluded]


def _written(value: object) -> str:
    return "1" if value is True else str(value)


def address(query: Query, base: str) -> str:
    """Return the URL of a search."""
    string = urlencode(pairs(query))
    return f"{base}?{string}" if string else base


def address_of(name: str, value: str) -> str:
    """Return the query string of a search with one condition only, "" without a value.

    As `address` of such a query, but a page has dozens of these links, and a query has forty fields.
    """
    return f"?{urlencode({name: value})}" if value else ""


def address_adding(query: Query, name: str, base: str) -> Callable[[str], str]:
    """Return a function value -> URL of the search with this parameter added.

    Faster than `address` for many values: the rest of the query string is encoded only once.
    """
    build = _inserter(query, name, base)
    return lambda value: build(f"{name}={quote_plus(value)}")


def within_years(query: Query, base: str) -> Callable[[int, int], str]:
    """Return a function (first, last) -> URL of the search limited to these years instead of its own; 0 = open."""
    build = _inserter(structs.replace(query, from_year=0, until_year=0), "from", base)

    def address_within(first: int, last: int) -> str:
        return build("&".join(f"{name}={year}" for name, year in (("from", first), ("until", last)) if year))

    return address_within


def _inserter(query: Query, name: str, base: str) -> Callable[[str], str]:
    """Return a function that inserts encoded pairs at the parameter's usual position of the query string.

    The rest of the query string is encoded once.
    """
    order = (*PARAMETERS, *EXCLUDING)
    given = pairs(query)
    place = sum(order.index(other) <= order.index(name) or name.startswith("-") for other, _value in given)
    before, after = urlencode(given[:place]), urlencode(given[place:])

    def insert(written: str) -> str:
        string = "&".join(filter(None, (before, written, after)))
        return f"{base}?{string}" if string else base

    return insert


def cursor(mark: str) -> str | None:
    """Encode a cursor of the index (`Results.next`) for a response of the JSON interface; None for ""."""
    return urlsafe_b64encode(mark.encode()).decode().rstrip("=") if mark else None


def _read(name: str, texts: list[str], parameter: Parameter) -> tuple[Any, ...]:
    texts = [text.strip() for text in texts if text.strip()]
    for text in texts:
        values.refuse_controls(name, text)
    if len(texts) > 1 and not parameter.several:
        raise BadParameter(name, _("This parameter may be given only once."))
    if len(texts) > MOST_CHOICES:
        raise BadParameter(name, _("At most %(limit)d values are allowed.") % {"limit": MOST_CHOICES})
    found = tuple(dict.fromkeys(parameter.read(name, text) for text in texts))
    return parameter.read_all(name, found) if parameter.read_all and found else found


DEFAULTS = {field.name: field.default for field in structs.fields(Query)}
PARAMETERS: dict[str, Parameter] = {
    **{name: Parameter(name, values.text) for name in TEXTS},
    "isbn": Parameter("isbn", values.isbn),
    "issn": Parameter("issn", values.issn),
    "repository": Parameter("repositories", values.number, several=True),
    "region": Parameter("regions", values.region, several=True),
    "library": Parameter("libraries", values.text, several=True, read_all=library_numbers),
    "type": Parameter("types", values.material_type, several=True),
    "language": Parameter("languages", values.language, several=True),
    "ndc": Parameter("ndcs", values.ndc, several=True),
    "accessible": Parameter("accessible", values.accessible, several=True),
    "kind": Parameter("kinds", values.kind, several=True),
    "access": Parameter("access", values.access, several=True),
    "licence": Parameter("licences", values.licence, several=True),
    "funder_is": Parameter("funders", values.text, several=True),
    "degree_is": Parameter("degrees", values.text, several=True),
    "identity_is": Parameter("identities", values.identity, several=True),
    "subject_is": Parameter("subjects", values.text, several=True),
    "creator_is": Parameter("creators", values.text, several=True),
    "publisher_is": Parameter("publishers", values.text, several=True),
    "place_is": Parameter("places", values.text, several=True),
    "series_is": Parameter("series", values.text, several=True),
    "mediatype": Parameter("media_types", values.media_type, several=True),
    "collection": Parameter("collections", values.collection, several=True),
    "online": Parameter("online", values.is_set),
    "fulltext": Parameter("fulltext", values.is_set),
    "from": Parameter("from_year", values.year),
    "until": Parameter("until_year", values.year),
    "sort": Parameter("sort", values.sort),
    "size": Parameter("page_size", values.size),
    "page": Parameter("page", values.page),
}
EXCLUDING: dict[str, Parameter] = {
    f"-{name}": replace(PARAMETERS[name], field="excluded", several=True) for name in CONDITIONS
}
MACHINE_PARAMETERS: dict[str, Parameter] = {
    "changed_from": Parameter("changed_from", values.from_moment),
    "changed_until": Parameter("changed_until", values.until_moment),
    "sort": Parameter("sort", values.any_sort),
    "cursor": Parameter("after", values.cursor),
}
