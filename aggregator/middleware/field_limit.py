"""The middleware that refuses addresses with more fields than any form or link of ours. Knows one setting."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from aggregator.middleware.refusals import too_many_fields


def limit_fields(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """400 before anything reads the address."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        if most and request.META.get("QUERY_STRING", "").count("&") >= most:
            return too_many_fields(request)
        return get_response(request)

    return answer
