"""Error responses of the JSON interface: problem documents (RFC 9457)."""

from collections.abc import Mapping
from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext_lazy as _

from aggregator.provision.api.shapes import Problem
from aggregator.query.values import BadParameter
from harvesting.messages import describe
from harvesting.pushes.reports import in_languages
from harvesting.types import EMPTY_MAPPING

MEDIA_TYPE = "application/problem+json"
# The kinds of problems; the documentation of a kind is at the anchor with its name.
TITLES: dict[str, tuple[int, str | Promise]] = {
    "parameter": (400, _("A parameter is invalid")),
    "key": (401, _("Unknown API key")),
    "token": (401, _("Unknown token")),
    "not-given": (403, _("Not redistributable")),
    "not-found": (404, _("Not found")),
    "method": (405, _("This method is not allowed")),
    "not-taken": (409, _("Records are not taken at present")),
    "gone": (410, _("No longer available")),
    "length": (411, _("The length is missing")),
    "too-large": (413, _("The body is too large")),
    "media-type": (415, _("The body has the wrong form")),
    "unusable": (422, _("The request cannot be used")),
    "too-many": (429, _("Too many requests")),
    "error": (500, _("Internal error")),
    "unavailable": (503, _("Temporarily unavailable")),
    "no-space": (507, _("No room")),
}
# The kinds of refused pushes, by the code of the message; all others are "unusable".
PUSHES = {
    "push.token": "token",
    "push.unknown": "not-found",
    "push.no_feed": "not-taken",
    "push.state": "not-taken",
    "push.length": "length",
    "push.too_large": "too-large",
    "push.form": "media-type",
    "push.coding": "media-type",
    "push.too_many": "too-many",
    "push.no_space": "no-space",
}
DOCUMENTATION = "/api/docs"


def problem(
    kind: str, detail: str, parameter: str = "", bulk: Mapping[str, str] = EMPTY_MAPPING, **more: Any
) -> HttpResponse:
    """Return a problem response. parameter: the one to change. bulk: name -> path of interfaces for all records.

    more: further members of the document.
    """
    status, title = TITLES[kind]
    body = Problem(
        type=f"{settings.PUBLIC_URL}{DOCUMENTATION}#{kind}",
        title=str(title),
        status=status,
        detail=detail,
        parameter=parameter,
        bulk={name: f"{settings.PUBLIC_URL}{path}" for name, path in bulk.items()},
        **more,
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


def refusal(code: str, facts: Mapping[str, str | int], retry_after: int = 0) -> HttpResponse:
    """A refused push: what happened and what to do, in all languages, because its sender is a program."""
    kind = PUSHES.get(code, "unusable")
    messages = in_languages(lambda: describe(code, facts))
    response = problem(kind, messages[settings.LANGUAGE_CODE], code=code, messages=messages)
    if retry_after:
        response["Retry-After"] = str(retry_after)
    if kind == "token":
        response["WWW-Authenticate"] = 'Bearer realm="push", error="invalid_token"'
    return response
