"""Error responses of the JSON interface: problem documents (RFC 9457)."""

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext_lazy as _

from aggregator.provision.api.shapes import Problem
from aggregator.query.values import BadParameter

MEDIA_TYPE = "application/problem+json"
# The kinds of problems; the documentation of a kind is at the anchor with its name.
TITLES: dict[str, tuple[int, str | Promise]] = {
    "parameter": (400, _("A parameter is invalid")),
    "key": (401, _("Unknown API key")),
    "not-given": (403, _("Not redistributable")),
    "not-found": (404, _("Not found")),
    "method": (405, _("Only reading is allowed")),
    "gone": (410, _("No longer available")),
    "too-many": (429, _("Too many requests")),
    "error": (500, _("Internal error")),
    "unavailable": (503, _("Temporarily unavailable")),
}
DOCUMENTATION = "/api/docs"


def problem(kind: str, detail: str, parameter: str = "", bulk: dict[str, str] | None = None) -> HttpResponse:
    """Return a problem response. parameter: the one to change. bulk: name -> path of interfaces for all records."""
    status, title = TITLES[kind]
    body = Problem(
        type=f"{settings.PUBLIC_URL}{DOCUMENTATION}#{kind}",
        title=str(title),
        status=status,
        detail=detail,
        parameter=parameter,
        bulk={name: f"{settings.PUBLIC_URL}{path}" for name, path in (bulk or {}).items()},
    )
    response = HttpResponse(msgspec.json.encode(body), MEDIA_TYPE, status)
    response["Cache-Control"] = "no-store"
    return response


def bad_parameter(error: BadParameter) -> HttpResponse:
    return problem("parameter", str(error.reason), error.name)


def unknown_key(request: HttpRequest) -> HttpResponse:
    """401 for a missing or invalid API key, with a WWW-Authenticate header."""
    with override(get_language_from_request(request)):
        response = problem(
            "key",
            str(
                _(
                    "This API key is unknown or was revoked. To use the API without a key, omit the "
                    "Authorization header."
                )
            ),
        )
    response["WWW-Authenticate"] = 'Bearer realm="aggregator", error="invalid_token"'
    return response
