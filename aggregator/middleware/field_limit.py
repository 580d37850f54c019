"""Middleware that refuses addresses with more parameters than any form or link of the site has."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from aggregator.middleware.refusals import too_many_fields


def limit_fields(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 400 before anything parses the query string. The limit is Django's DATA_UPLOAD_MAX_NUMBER_FIELDS."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        if most and request.META.get("QUERY_STRING", "").count("&") >= most:
            return too_many_fields(request)
        return get_response(request)

    return answer
