"""Single sign-on (OpenID Connect): the redirect to the identity provider and back. See `aggregator.access.oidc`."""

import logging

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aggregator.access import oidc
from aggregator.access.oidc_client import LoginFailed
from aggregator.views.site.login import home_of, unwritable
from harvesting.audit.trail import note

logger = logging.getLogger(__name__)
BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_safe
def oidc_login(request: HttpRequest) -> HttpResponse:
    """Redirect to the identity provider."""
    if not oidc.is_set_up():
        raise Http404
    onward = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(onward, {request.get_host()}, request.is_secure()):
        onward = ""  # the first page depends on the user, not known yet
    try:
        response = oidc.redirect_to_provider(request, onward)
        request.session.save()  # now, not in the middleware: a failure can be shown
    except LoginFailed as error:
        return _failed(request, error)
    except (OperationalError, UpdateError) as error:
        return unwritable(request, error)
    return response


@never_cache
@require_safe
def oidc_callback(request: HttpRequest) -> HttpResponse:
    """Log in whoever comes back from the identity provider, or say why that failed."""
    if not oidc.is_set_up():
        raise Http404
    try:
        return _log_in(request)
    except OperationalError as error:
        return unwritable(request, error)


def _log_in(request: HttpRequest) -> HttpResponse:
    try:
        claims, onward = oidc.complete_login(request)
        user = oidc.account_of(claims)
    except LoginFailed as error:
        return _failed(request, error)
    except oidc.BoundToAnother as error:
        logger.warning("another identity has the e-mail address of account %s, which is bound already", error)
        text = _("The account with your e-mail address is connected with another login. Ask the staff of this site.")
        return _refused(request, text)
    if user is None:
        text = _("You do not have an account here yet. Ask the staff of this site to invite you.")
        return _refused(request, text)
    login(request, user, BACKEND)
    note(user, "login.house", user.get_username())
    return redirect(onward or home_of(user))


def _failed(request: HttpRequest, error: LoginFailed) -> HttpResponse:
    logger.warning("logging in at the identity provider failed: %s", error)
    return _refused(request, _("Single sign-on failed. Please try again."))


def _refused(request: HttpRequest, text: str) -> HttpResponse:
    messages.error(request, text)
    return redirect("login")
