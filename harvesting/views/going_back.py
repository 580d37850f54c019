"""Returning to the page that a form was on."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_before(request: HttpRequest, default: str) -> str:
    """The page that the form names in its field "back", if it is one for librarians or staff; else the default."""
    url = request.POST.get("back", "")
    is_ours = url.startswith("/manage/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if is_ours else default
