"""The page of terms: what may be done with the data and interfaces, their versions, and what will change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from aggregator.indexing.state import lacks_books
from aggregator.middleware.refusals import is_served
from aggregator.provision import deprecations
from aggregator.provision.api.openapi import VERSION
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Served:
    """An interface with the version of its standard, and what a client may rely on."""

    name: "StrOrPromise"
    path: str
    version: str
    kept: "StrOrPromise"


VERSIONS = (
    Served("OAI-PMH", "/oai", "2.0", _("Identifiers, sets and metadataPrefixes; deletions are reported permanently.")),
    Served(
        "ResourceSync", "/.well-known/resourcesync", "1.1", _("The addresses of lists, and the identifiers of records.")
    ),
    Served("SRU", "/sru", "1.1, 1.2", _("Indexes, relations and schemas that “explain” lists.")),
    Served(
        _("JSON interface"), "/api/search", VERSION, _("Addresses, parameters and members; new members may appear.")
    ),
    Served("OpenSearch", "/opensearch", "1.1", _("Parameters, and the elements of RSS, Atom and JSON.")),
    Served("OpenURL", "/openurl", "1.0, 0.1", _("The keys of Z39.88-2004 for books and journals.")),
    Served(_("Permanent links"), "/books/M1", "", _("The addresses of books and records, and the file extensions.")),
)


def terms(request: HttpRequest) -> HttpResponse:
    """Show the terms, with the versions of the enabled interfaces, deprecations, and whether the search works now."""
    context = {
        "versions": [served for served in VERSIONS if is_served(served.path)],
        "deprecations": sorted(deprecations.DEPRECATIONS, key=lambda row: row.sunset),
        "months": deprecations.NOTICE_MONTHS,
        "works": _search_works(),
        "minute": int(settings.SEARCH_RATE * 60),
    }
    return render(request, "pages/terms.html", context)


def _search_works() -> bool:
    try:
        get_index().count()
    except IndexUnavailable:
        return False
    return not lacks_books()
