"""Announces in the headers of a response that the interface, or a parameter of the request, will be removed."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from aggregator.provision.deprecations import headers_for
from aggregator.query.costly_paths import without_language

PAGE = "/terms#deprecation"


def announce_deprecation(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add the headers for what `aggregator.provision.deprecations` lists, whatever the status of the response."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        path, query_string = without_language(request.path_info), request.META.get("QUERY_STRING", "")
        for name, value in headers_for(path, query_string, f"{settings.PUBLIC_URL}{PAGE}").items():
            response[name] = f"{response[name]}, {value}" if name == "Link" and name in response else value
        return response

    return answer
