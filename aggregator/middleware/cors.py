"""Middleware for CORS (Fetch standard): lets pages of other sites read this site's data in a browser.

Only the interfaces for programs are open. They use no session, so every client gets the same answer. Pages with
sessions send no CORS headers, so that browsers do not let other sites read them. The headers are those of
django-cors-headers, from the settings CORS_….
"""

from types import SimpleNamespace

from corsheaders.middleware import ACCESS_CONTROL_EXPOSE_HEADERS
from corsheaders.middleware import CorsMiddleware as HeadersMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.query.costly_paths import is_data_interface

ANY_ORIGIN = {"origin": "https://any.example"}


class CorsMiddleware(HeadersMiddleware):
    """Adds the CORS headers. Answers preflight requests itself, so it stands before all middleware that costs time.

    The headers are the same for every origin. So responses to requests without an Origin have them, too, and no Vary:
    caches can give one copy to all.
    """

    def is_enabled(self, request: HttpRequest) -> bool:
        return is_data_interface(request.path_info)

    def check_preflight(self, request: HttpRequest) -> HttpResponse | None:
        """Answer every OPTIONS request of an interface, also one that is no preflight."""
        if request.method != "OPTIONS" or not self.is_enabled(request):
            return None
        return HttpResponse(status=204, headers={"Allow": ", ".join(settings.CORS_ALLOW_METHODS)})

    def add_response_headers(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        enabled = self.is_enabled(request) or _redirects_to_interface(response)
        vary = response.get("Vary")
        shown = SimpleNamespace(method=request.method, headers=ANY_ORIGIN, _cors_enabled=enabled)
        super().add_response_headers(shown, response)  # type: ignore[arg-type]
        if request.method == "OPTIONS":
            del response[ACCESS_CONTROL_EXPOSE_HEADERS]  # belongs on the response after the preflight
        if vary:
            response["Vary"] = vary
        else:
            del response["Vary"]
        return response


def _redirects_to_interface(response: HttpResponseBase) -> bool:
    """Return whether the response redirects to an interface, as a permanent link does that was requested as data."""
    return response.status_code in (302, 303) and is_data_interface(response.get("Location", ""))
