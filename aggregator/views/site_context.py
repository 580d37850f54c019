"""Facts about the site for every page: who runs it, and the page's address in each language. No database access."""

import msgspec
from django.conf import settings
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path

from aggregator.middleware.language_prefix import START
from core.languages import choices

LIST_LIMIT = 200  # records in the list that a reader keeps in the browser
OWN_LIMIT = 20  # libraries that a reader chooses as their own


class Alternate(msgspec.Struct, frozen=True, gc=False):
    """The page in one language. path: for links on this site; url: absolute, for other sites."""

    code: str
    name: str
    path: str
    url: str


def site(request: HttpRequest) -> dict[str, object]:
    """Context processor. alternates: this page in each language; neutral: its address without a language.

    site_address: the site's address with the language of this request's path ("/en"), if it has one.
    """
    neutral = escape_uri_path(request.path_info)
    string = request.GET.urlencode()
    query = f"?{string}" if string else ""
    return {
        "alternates": [
            Alternate(code, name, f"/{code}{neutral}{query}", f"{settings.PUBLIC_URL}/{code}{neutral}{query}")
            for code, name in choices()
        ],
        "site_address": settings.PUBLIC_URL + request.META.get(START, ""),
        "neutral": f"{settings.PUBLIC_URL}{neutral}{query}",
        "operator": settings.SITE_OPERATOR,
        "contact": settings.SITE_CONTACT,
        "list_limit": LIST_LIMIT,
        "own_limit": OWN_LIMIT,
    }
