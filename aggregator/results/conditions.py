"""The conditions of a search as a list, each with the search without it. No HTTP, no database access."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import structs

from aggregator.query.parameters import LABELS, address
from aggregator.query.toggles import chosen_values, without_value
from aggregator.results.facets import Labels, span_label
from aggregator.results.years import Span
from aggregator.search.base import CHOICES, FLAGS, TEXTS, Query

MOST_LIBRARIES = 3  # libraries listed one by one: a reader may search in twenty libraries of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition in force."""

    label: str
    value: str
    rest: Query  # the search without it
    url: str
    excluded: bool = False


def conditions(query: Query, labels: Labels, base: str) -> list[Condition]:
    """Return every condition: the words first, as typed, then what was chosen."""

    def condition(label: str, value: str, **changes: Any) -> Condition:
        rest = structs.replace(query, **changes, page=1)
        return Condition(label=label, value=value, rest=rest, url=address(rest, base))

    def word(name: str, value: str) -> str:
        return labels.get(name, {}).get(value) or value

    found = [condition(str(LABELS[name]), getattr(query, name), **{name: ""}) for name in TEXTS if getattr(query, name)]
    found += [
        condition(_title(name), word(name, value), **without_value(query, name, value))
        for name in (*CHOICES, *FLAGS)
        for value in chosen_values(query, name)
        if name != "library" or len(query.libraries) <= MOST_LIBRARIES
    ]
    if len(query.libraries) > MOST_LIBRARIES:
        first, number = word("library", query.libraries[0]), len(query.libraries) - 1
        others = ngettext("%(first)s or %(number)d other", "%(first)s or %(number)d others", number)
        found.append(condition(_title("library"), others % {"first": first, "number": number}, libraries=()))
    if query.from_year or query.until_year:
        span = Span(query.from_year, query.until_year)
        found.append(condition(_("Year"), span_label(span), from_year=0, until_year=0))
    for name, value in query.excluded:
        rest = tuple(other for other in query.excluded if other != (name, value))
        found.append(replace(condition(_title(name), word(name, value), excluded=rest), excluded=True))
    return found


def _title(name: str) -> str:
    """Return the name of the parameter; "" where the value alone says everything."""
    return "" if name in FLAGS else str(LABELS[name])
