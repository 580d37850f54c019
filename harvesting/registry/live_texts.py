"""What people read about the settings of live sources: the names of fields, and what is wrong."""

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
)
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
_FAULTS: "dict[str, StrOrPromise]" = {
    "address": gettext_lazy("Enter an address that begins with http:// or https://, without a user name and password."),
    "options": gettext_lazy("These settings cannot be used. Read the description again, or correct them."),
    "fields": gettext_lazy("Specify where the title is: one line must end with “= title”."),
}


def option_fault(code: str) -> str:
    """Say what is wrong with the address or the options of a live source. code: as returned by `asking.check`."""
    return template_fault(code, PLACES) if code.startswith("template.") else str(_FAULTS[code])


def field_names_help() -> str:
    """The names of the fields that indexes can be declared for, with their meanings."""
    return _("Fields: %(fields)s") % {"fields": ", ".join(f"{name} ({text})" for name, text in FIELD_NAMES.items())}
