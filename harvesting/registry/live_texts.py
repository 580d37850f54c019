"""What people read about live sources: why a question was not asked in full, why there is no answer, wrong settings."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.live.templates import PLACES
from harvesting.live.types import (
    ANY,
    CREATOR,
    DESCRIPTION,
    ISBN,
    ISSN,
    LANGUAGE,
    NDC,
    PUBLISHER,
    SUBJECT,
    TITLE,
    YEAR,
    LiveError,
    Refused,
)
from harvesting.messages import happened
from harvesting.validators import template_fault

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FIELD_NAMES: "dict[str, StrOrPromise]" = {
    ANY: gettext_lazy("all fields"),
    TITLE: gettext_lazy("title"),
    CREATOR: gettext_lazy("author"),
    PUBLISHER: gettext_lazy("publisher"),
    SUBJECT: gettext_lazy("subject"),
    ISBN: "ISBN",
    ISSN: "ISSN",
    LANGUAGE: gettext_lazy("language"),
    NDC: gettext_lazy("NDC class"),
    DESCRIPTION: gettext_lazy("description"),
    YEAR: gettext_lazy("year of publication"),
}
_REFUSED: "dict[str, StrOrPromise]" = {
    "field": gettext_lazy("This catalogue cannot be searched by %(field)s; that part was left out."),
    "anywhere": gettext_lazy("This catalogue cannot be searched by %(field)s; all fields were searched."),
    "range": gettext_lazy("This catalogue cannot be limited to years of publication."),
    "not": gettext_lazy("This catalogue cannot exclude anything."),
    "or": gettext_lazy("This catalogue cannot search for alternatives (OR); that part was left out."),
    "phrase": gettext_lazy("This catalogue cannot search for phrases; the words may be apart from each other."),
    "characters": gettext_lazy(
        "The character encoding of this catalogue lacks some characters of the search; that part was left out."
    ),
}
_FAULTS: "dict[str, StrOrPromise]" = {
    "address": gettext_lazy("Enter an address that begins with http:// or https://, without a user name and password."),
    "options": gettext_lazy("These settings cannot be used. Read the description again, or correct them."),
    "fields": gettext_lazy("Specify where the title is: one line must end with “= title”."),
}


def refused_text(refused: Refused) -> str:
    """Say what a source was not asked, in the active language."""
    text = _REFUSED.get(refused.code, _REFUSED["field"])
    return str(text) % {"field": str(FIELD_NAMES.get(refused.field, refused.field))}


def error_text(error: LiveError) -> str:
    """Say why a source did not answer, in the active language."""
    return happened(error.code, {"detail": error.detail or "–"})


def option_fault(code: str) -> str:
    """Say what is wrong with the address or the options of a live source. code: as returned by `asking.check`."""
    return template_fault(code, PLACES) if code.startswith("template.") else str(_FAULTS[code])


def field_names_help() -> str:
    """The names of the fields that indexes can be declared for, with their meanings."""
    return _("Fields: %(fields)s") % {"fields": ", ".join(f"{name} ({text})" for name, text in FIELD_NAMES.items())}
