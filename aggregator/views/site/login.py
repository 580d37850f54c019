"""Login, logout, and changing one's password: Django's views in our design. Roles are decided elsewhere."""

import logging
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from aggregator.access import login_throttle, oidc
from aggregator.access.login_form import ForgottenForm, LoginForm, waiting_for_letter
from aggregator.access.remote_user import LOGGED_IN
from aggregator.loan_desk.members import desk_of
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.registry.credentials import seal, unseal
from harvesting.types import TransportError

logger = logging.getLogger(__name__)


class NeedsDatabase:
    """Mixin for views: if the database cannot be written (the disk is full), a page says so instead of an error."""

    def dispatch(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *arguments, **named)  # type: ignore[misc, no-any-return]
        except OperationalError as error:
            return unwritable(request, error)


def unwritable(request: HttpRequest, error: Exception) -> HttpResponse:
    """503: nothing can be stored. The session is not saved either."""
    logger.error("the database cannot be written: %s", error)
    request.session.modified = False
    response = render(request, "login/unwritable.html", status=503)
    response["Retry-After"] = "60"
    return response


class Login(NeedsDatabase, views.LoginView):
    """A user who is logged in already sees under which name, and may log in as somebody else.

    A user whom the proxy has just logged in is redirected at once.
    """

    template_name = "login/login.html"
    authentication_form = LoginForm

    def get(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        if LOGGED_IN in request.META and request.user.is_authenticated:
            return redirect(self.get_success_url())
        return super().get(request, *arguments, **named)

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        identity_provider = (settings.OIDC_LABEL or settings.OIDC_ISSUER) if oidc.is_set_up() else ""
        return super().get_context_data(**given, identity_provider=identity_provider)

    def get_default_redirect_url(self) -> str:
        """Where people go who have just logged in, see `home_of`."""
        return home_of(self.request.user)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        note(self.request.user, "login", self.request.user.get_username())
        return response


class Logout(views.LogoutView):
    """Logs out, by POST only, so that no link can do it."""


class Password(NeedsDatabase, views.PasswordChangeView):
    """Changes one's own password."""

    template_name = "login/password.html"

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        return super().get_context_data(**given, home=home_of(self.request.user))

    def get_success_url(self) -> str:
        return home_of(self.request.user)

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        response = super().form_valid(form)
        note(self.request.user, "password.changed", self.request.user.get_username())
        messages.success(
            self.request, _("Your password has been changed. You have been logged out in all other browsers.")
        )
        return response


class Forgotten(NeedsDatabase, views.PasswordResetView):
    """Asks for the e-mail address; the answer is the same whether the address is known or not."""

    template_name = "login/forgotten.html"
    form_class = ForgottenForm
    success_url = reverse_lazy("password_forgotten_sent")

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        if seconds := login_throttle.begin_letter(login_throttle.network_of(self.request)).wait:
            form.add_error(None, waiting_for_letter(seconds))
            response = self.form_invalid(form)
            response.status_code = 429
            return response
        return super().form_valid(form)


class ForgottenSent(views.PasswordResetDoneView):
    template_name = "login/forgotten_sent.html"


class SealedTokens(PasswordResetTokenGenerator):
    """Checks the tokens of links for new passwords, also those that `NewPassword` has encrypted."""

    @sensitive_variables()
    def check_token(self, user: Any, token: str | None) -> bool:
        try:
            return super().check_token(user, token) or super().check_token(user, unseal((token or "").encode()))
        except TransportError:  # neither a token nor an encrypted one
            return False


class NewPassword(NeedsDatabase, views.PasswordResetConfirmView):
    """The page of the link in the e-mail. Django moves the token from the address, which histories and referrers have,
    to the session; there it is encrypted, so that no copy of the database has a link that works.
    """

    template_name = "login/new_password.html"
    success_url = reverse_lazy("password_set")
    token_generator = SealedTokens()

    def dispatch(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
        response = super().dispatch(request, *arguments, **named)
        if request.session.get(INTERNAL_RESET_SESSION_TOKEN) == named["token"]:
            request.session[INTERNAL_RESET_SESSION_TOKEN] = seal(named["token"]).decode()
        return response

    def form_valid(self, form: SetPasswordForm[Any]) -> HttpResponse:
        response = super().form_valid(form)
        note(form.user, "password.forgotten", form.user.get_username())
        return response


class PasswordSet(views.PasswordResetCompleteView):
    template_name = "login/password_set.html"


def home_of(user: Any) -> str:
    """The first page of a user: interlibrary loan for a library's members whose role is PUBLIC, else "manage"."""
    is_member = role_of(user) is Role.PUBLIC and bool(desk_of(user).libraries)
    return reverse("loans") if is_member else reverse("manage")


def admin_login(request: HttpRequest) -> HttpResponse:
    """Redirect to the site's login, because the admin has none of its own."""
    query = request.META.get("QUERY_STRING", "")
    return redirect(f"{reverse('login')}?{query}" if query else "login")


def admin_view_on_site(request: HttpRequest, row: str) -> HttpResponse:
    """404 instead of the admin's redirect to the page of a row, which fails for tables without a model of ours.

    None of our models has `get_absolute_url`, so nothing links there.
    """
    raise Http404(row)
