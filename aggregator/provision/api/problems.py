"""What the JSON interface says when something cannot be done: RFC 9457. Knows HTTP; decides nothing."""

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext_lazy as _

from aggregator.provision.api.shapes import Problem
from aggregator.query.values import BadParameter

MEDIA_TYPE = "application/problem+json"
# The kinds: what the documentation says about each stands under its name.
TITLES: dict[str, tuple[int, str | Promise]] = {
    "parameter": (400, _("A parameter cannot be understood")),
    "key": (401, _("The key is not known")),
    "not-given": (403, _("Not to be given on")),
    "not-found": (404, _("There is nothing here")),
    "method": (405, _("Only reading is possible here")),
    "gone": (410, _("It was here and is gone")),
    "too-many": (429, _("Too many requests")),
    "error": (500, _("Something went wrong here")),
    "unavailable": (503, _("Out of order for a moment")),
}
DOCUMENTATION = "/api/docs"


def problem(kind: str, detail: str, parameter: str = "", bulk: dict[str, str] | None = None) -> HttpResponse:
    """The response of one kind. parameter: the one to change; bulk: name -> path of the doors for mass reading."""
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


def bad_parameter(found: BadParameter) -> HttpResponse:
    return problem("parameter", str(found.reason), found.name)


def unknown_key(request: HttpRequest) -> HttpResponse:
    """401, with how to send a key."""
    with override(get_language_from_request(request)):
        response = problem(
            "key",
            str(_("This key is unknown or was revoked. Leave the header Authorization out to ask without a key.")),
        )
    response["WWW-Authenticate"] = 'Bearer realm="aggregator", error="invalid_token"'
    return response
