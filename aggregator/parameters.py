"""A search between its two written forms, query string and `Query`. Knows names and limits; no database, no engine."""

import re
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.search.base import MAX_CHARACTERS, Query, QueryError
from metadata.identifiers import normalise

TEXT_LIMIT = MAX_CHARACTERS
LAST_PAGE = 500  # 10,000 hits: what an engine can still sort without keeping everything
SIZES = range(1, 101)
SORTS = ("relevance", "newest", "oldest")
LABELS = {
    "q": gettext_lazy("Keyword"),
    "title": gettext_lazy("Title"),
    "creator": gettext_lazy("Creator"),
    "isbn": "ISBN",
    "repository": gettext_lazy("Provider"),
    "type": gettext_lazy("Material type"),
    "from": gettext_lazy("Year from"),
    "until": gettext_lazy("Year until"),
    "sort": gettext_lazy("Order"),
    "page": gettext_lazy("Page"),
    "size": gettext_lazy("Hits per page"),
    "cursor": gettext_lazy("Cursor"),
}


class BadParameter(ValueError):
    """A parameter that cannot be understood: which one, and in words what is allowed."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Parameter:
    """One name of the query string: the field of Query it fills, and how its text is read."""

    field: str
    read: Callable[[str, str], Any]
    several: bool = False


def read_query(data: QueryDict, machine: bool = False) -> Query:
    """The search that a query string asks for. Raises BadParameter.

    machine: the parameters of the JSON search are allowed as well (cursor, size).
    """
    known = PARAMETERS | MACHINE_PARAMETERS if machine else PARAMETERS
    values: dict[str, Any] = {}
    for name in data:
        if name not in known:
            raise BadParameter(
                name, _("There is no such parameter. Allowed are: %(names)s.") % {"names": ", ".join(known)}
            )
        values |= _read_one(name, data.getlist(name), known[name])
    query = Query(**values)
    if query.from_year and query.until_year and query.from_year > query.until_year:
        raise BadParameter("from", _("The first year must not be later than the last year."))
    return query


def refusal(error: QueryError) -> BadParameter:
    """What the index refused, as the parameter to change."""
    if error.code == "too_many_words":
        return BadParameter("q", _("At most %(limit)s words are allowed.") % error.facts)
    if error.code == "too_deep":
        return BadParameter(
            "page", _("Only the first %(limit)s hits can be paged through; narrow the search down.") % error.facts
        )
    return BadParameter(
        str(error.facts.get("field", "q")), _("The search is not possible: %(code)s.") % {"code": error.code}
    )


def typed(data: QueryDict) -> Query:
    """The free texts as they were typed, however bad the rest is: for the search box of an error page."""
    texts = {name: data.get(name, "")[:TEXT_LIMIT] for name in ("q", "title", "creator", "isbn")}
    return Query(q=texts["q"], title=texts["title"], creator=texts["creator"], isbn=texts["isbn"])


def pairs(query: Query) -> list[tuple[str, str]]:
    """The query string of a search as names and values, what is at its default left out."""
    found: list[tuple[str, str]] = []
    for name, parameter in PARAMETERS.items():
        value = getattr(query, parameter.field)
        if value != DEFAULTS[parameter.field]:
            found += [(name, str(each)) for each in (value if parameter.several else (value,))]
    return found


def address(query: Query, base: str) -> str:
    """The URL of a search."""
    string = urlencode(pairs(query))
    return f"{base}?{string}" if string else base


def cursor(page: int) -> str:
    """The opaque mark of a page for machines."""
    return urlsafe_b64encode(f"page {page}".encode()).decode().rstrip("=")


def _read_one(name: str, texts: list[str], parameter: Parameter) -> dict[str, Any]:
    texts = [text.strip() for text in texts if text.strip()]
    for text in texts:
        _refuse_controls(name, text)
    if len(texts) > 1 and not parameter.several:
        raise BadParameter(name, _("It may be given only once."))
    read = tuple(dict.fromkeys(parameter.read(name, text) for text in texts))
    if not read:
        return {}
    return {parameter.field: read if parameter.several else read[0]}


def _refuse_controls(name: str, text: str) -> None:
    if len(text) > TEXT_LIMIT:
        raise BadParameter(name, _("At most %(limit)d characters are allowed.") % {"limit": TEXT_LIMIT})
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        raise BadParameter(name, _("Control characters are not allowed."))


def _text(_name: str, text: str) -> str:
    return text


def _isbn(name: str, text: str) -> str:
    """ISBN as typed, or its 13 digits when it is valid; a wrong check digit is searched as it stands."""
    compact = re.sub(r"[^0-9X]", "", unicodedata.normalize("NFKC", text).upper().removeprefix("ISBN"))
    if len(compact) not in (10, 13):
        raise BadParameter(name, _("An ISBN has 10 or 13 digits, with or without hyphens; the last of 10 may be X."))
    return normalise("ISBN", text) or text


def _number(name: str, text: str) -> str:
    if not re.fullmatch(r"R[0-9]{9}", text):
        raise BadParameter(name, _("A repository number is R and nine digits, for example R900000001."))
    return text


def _year(name: str, text: str) -> int:
    digits = unicodedata.normalize("NFKC", text)
    if not re.fullmatch(r"[0-9]{1,4}", digits) or not int(digits):
        raise BadParameter(name, _("A year is a number from 1 to 9999."))
    return int(digits)


def _sort(name: str, text: str) -> str:
    return _one_of(name, text, SORTS)


def _one_of(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise BadParameter(name, _("Allowed are: %(names)s.") % {"names": ", ".join(allowed)})
    return text


def _page(name: str, text: str) -> int:
    return _within(name, text, range(1, LAST_PAGE + 1))


def _size(name: str, text: str) -> int:
    return _within(name, text, SIZES)


def _within(name: str, text: str, allowed: range) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) not in allowed:
        raise BadParameter(
            name, _("A number from %(first)d to %(last)d is allowed.") % {"first": allowed[0], "last": allowed[-1]}
        )
    return int(text)


def _cursor(name: str, text: str) -> int:
    try:
        word, page = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii").split(" ")
    except ValueError:
        word, page = "", ""
    if word != "page":
        raise BadParameter(name, _("Give the value of “next” of the answer before, unchanged."))
    return _page(name, page)


DEFAULTS = {each.name: each.default for each in fields(Query)}
PARAMETERS: dict[str, Parameter] = {
    "q": Parameter("q", _text),
    "title": Parameter("title", _text),
    "creator": Parameter("creator", _text),
    "isbn": Parameter("isbn", _isbn),
    "repository": Parameter("repositories", _number, several=True),
    "type": Parameter("types", _text, several=True),
    "from": Parameter("from_year", _year),
    "until": Parameter("until_year", _year),
    "sort": Parameter("sort", _sort),
    "page": Parameter("page", _page),
}
MACHINE_PARAMETERS: dict[str, Parameter] = {
    "cursor": Parameter("page", _cursor),
    "size": Parameter("page_size", _size),
}
