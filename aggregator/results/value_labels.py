"""Names of facet values on pages. Reads the names of providers and libraries from the database; needs no request."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.browse.people import identity_labels
from aggregator.catalogue import books
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.libraries.regions import place
from aggregator.models import Library
from aggregator.presentation.field_labels import (
    access_name,
    accessible_label,
    class_name,
    kind_name,
    language_name,
    licence_name,
    localised_term,
    material_name,
    type_label,
)
from aggregator.query.field_searches import display_name
from aggregator.query.parameters import LABELS, address
from aggregator.search.base import CHOICES, FLAGS, FacetValue, Query
from aggregator.search.materials import OTHER_TYPE
from metadata.vocabularies.ndc import CLASSES, MAIN

Counts = Mapping[str, Sequence[FacetValue]]


def value_labels(counts: Counts, query: Query) -> dict[str, dict[str, str]]:
    """Return parameter -> value -> its name, for the values of a result and of its conditions.

    Values without an entry are their own names; "" is the name of a code that has none.
    """
    labels = {
        name: {value: name_of(value) for value in _values(name, counts, query)} for name, name_of in READERS.items()
    }
    numbers = _values("repository", counts, query)
    libraries = _values("library", counts, query)
    identities = _values("identity_is", counts, query) | _values("identity", counts, query)
    creators = _values("creator_is", counts, query) | {*_counted("creator", counts)}
    return {
        **labels,
        "repository": books.repository_names(numbers) if numbers else {},
        "library": library_names(libraries) if libraries else {},
        "identity_is": identity_labels(identities) if identities else {},
        "creator_is": {value: display_name(value) for value in creators},
    }


def library_names(numbers: Iterable[str]) -> dict[str, str]:
    """Return the names of libraries by number."""
    pks = {library_pk(number) for number in numbers}
    rows = Library.objects.only("name", "name_en").in_bulk(pks)
    return {library_number(pk): library.label for pk, library in rows.items()}


def region_name(code: str) -> str:
    """Return the name of a prefecture or municipality; for a municipality without a name its prefecture and code."""
    found = place(code)
    if not found:
        return code
    name = found.name(get_language() or "")
    return name if found.code == code else _("%(prefecture)s, %(code)s") % {"prefecture": name, "code": code}


def main_classes(base: str) -> list[tuple[str, str, str]]:
    """Return the ten main classes of NDC: number, name, and the address of the search for the class."""
    return [(number, localised_term(CLASSES[number], ""), address(Query(ndcs=(number,)), base)) for number in MAIN]


def type_name(value: str) -> str:
    """Return the name of a type of material, given by its key."""
    return _("Other") if value == OTHER_TYPE else type_label(value)


def _flag(name: str) -> Callable[[str], str]:
    return lambda _value: str(LABELS[name])


READERS: dict[str, Callable[[str], str]] = {
    "type": type_name,
    "language": language_name,
    "ndc": class_name,
    **{name: _flag(name) for name in FLAGS},
    "accessible": accessible_label,
    "kind": kind_name,
    "access": access_name,
    "licence": licence_name,
    "region": region_name,
    "mediatype": material_name,
}


def _values(name: str, counts: Counts, query: Query) -> set[str]:
    chosen: Iterable[str] = getattr(query, CHOICES[name]) if name in CHOICES else ("1",)
    excluded = (value for condition, value in query.excluded if condition == name)
    return {*_counted(name, counts), *chosen, *excluded}


def _counted(name: str, counts: Counts) -> Iterator[str]:
    return (counted.value for counted in counts.get(name, ()))
