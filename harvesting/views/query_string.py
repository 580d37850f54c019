"""The query string of a page that links to itself with other parameters."""

from django.http import HttpRequest
from django.utils.http import urlencode


def changed_query(request: HttpRequest, **changed: str) -> str:
    """Return the query string of this page with some parameters changed; "" removes a parameter."""
    return urlencode([(name, value) for name, value in {**request.GET.dict(), **changed}.items() if value])
