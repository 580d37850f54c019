"""Values of libraries in words, as the pages of staff show them. No queries."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils.formats import date_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from aggregator.libraries.editing import sources
from aggregator.libraries.numbers import library_number
from aggregator.libraries.regions import place
from aggregator.models import Library

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SOURCES: "Mapping[str, StrOrPromise]" = {
    sources.PEOPLE: gettext_lazy("entered by people"),
    sources.LIST: gettext_lazy("from a list"),
    sources.RECORDS: gettext_lazy("from records"),
    sources.OPEN: gettext_lazy("not fixed"),
    sources.NONE: gettext_lazy("no value"),
}
SCHEMES: "Mapping[str, StrOrPromise]" = {
    "provider": gettext_lazy("provider"),
    "name": gettext_lazy("name that a provider uses"),
}


def value_text(name: str, value: Any) -> str:
    """The value of a field; of a parent, its number."""
    if value in ("", None):
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, date):
        return date_format(value, "DATE_FORMAT")
    if name == "kind":
        return str(dict(Library.Kind.choices).get(value, value))
    if name in ("prefecture", "municipality"):
        return place_text(value)
    return library_number(value) if name == "parent" else str(value)


def place_text(code: str) -> str:
    """A prefecture or municipality by its name; a municipality that is not named here with its code."""
    found = place(code)
    if found is None:
        return code
    name = found.name(get_language() or "")
    return name if found.code == code else f"{name} ({code})"
