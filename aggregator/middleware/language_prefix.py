"""Addresses with a language prefix: /en/books/… is /books/… in English.

Every page has one address without a language, which answers in the reader's language (cookie, else Accept-Language),
and one per language, for search engines and for readers who choose a language. The choice is stored in the cookie that
Django's LocaleMiddleware reads.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from core.languages import without_prefix

START = "aggregator.language_start"  # key in request.META of the prefix that was removed from the path, such as "/en"
ONE_YEAR = 365 * 24 * 60 * 60


def language_prefix(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Remove the language prefix from the path and answer in that language. Comes after Django's LocaleMiddleware."""

    def answer(request: HttpRequest) -> HttpResponse:
        language, path = without_prefix(request.path_info)
        if not language:
            response = get_response(request)
            patch_vary_headers(response, ["Cookie"])  # LocaleMiddleware reads the cookie without saying so in Vary
            return response
        request.path_info = path
        request.META[START] = f"/{language}"
        translation.activate(language)
        request.LANGUAGE_CODE = language
        response = get_response(request)
        if request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) != language:
            _remember(response, language)
        return response

    return answer


def _remember(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=ONE_YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
