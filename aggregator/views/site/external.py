"""Single sign-on (OpenID Connect): the redirect to the identity provider and back. See `aggregator.access.oidc`."""

import logging

from django.contrib import messages
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aggregator.access import oidc
from aggregator.views.site.login import home_of
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
        onward = ""  # where a person begins is known after the login
    try:
        return redirect(oidc.authorization_url(request.session, onward))
    except oidc.LoginFailed as error:
        return _failed(request, error)


@never_cache
@require_safe
def oidc_callback(request: HttpRequest) -> HttpResponse:
    """Log in whoever comes back from the identity provider, or say why that failed."""
    if not oidc.is_set_up():
        raise Http404
    try:
        claims, onward = oidc.complete_login(request.session, request.GET.dict())
    except oidc.LoginFailed as error:
        return _failed(request, error)
    user = oidc.account_of(claims)
    if user is None:
        messages.error(request, _("You do not have an account here yet. Ask the staff of this site to invite you."))
        return redirect("login")
    login(request, user, BACKEND)
    note(user, "login.house", user.get_username())
    return redirect(onward or home_of(user))


def _failed(request: HttpRequest, error: oidc.LoginFailed) -> HttpResponse:
    logger.warning("logging in at the identity provider failed: %s", error)
    messages.error(request, _("Single sign-on failed. Please try again."))
    return redirect("login")
