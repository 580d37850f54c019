"""Login, logout, and changing one's password: Django's views in our design. Roles are decided elsewhere."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _

from aggregator.access import oidc
from aggregator.access.login_form import ForgottenForm, LoginForm
from aggregator.loan_desk.members import desk_of
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note


class Login(views.LoginView):
    """A user who is logged in already sees under which name, and may log in as somebody else."""

    template_name = "login/login.html"
    authentication_form = LoginForm

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        identity_provider = (settings.OIDC_LABEL or settings.OIDC_ISSUER) if oidc.is_set_up() else ""
        return super().get_context_data(**given, identity_provider=identity_provider)

    def get_default_redirect_url(self) -> str:
        """Where people go who have just logged in: members of a library without a rank to interlibrary loan."""
        return home_of(self.request.user)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        note(self.request.user, "login", self.request.user.get_username())
        return response


class Logout(views.LogoutView):
    """Logs out, by POST only, so that no link can do it."""


class Password(views.PasswordChangeView):
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


class Forgotten(views.PasswordResetView):
    """Asks for the e-mail address; the answer is the same whether the address is known or not."""

    template_name = "login/forgotten.html"
    form_class = ForgottenForm
    success_url = reverse_lazy("password_forgotten_sent")


class ForgottenSent(views.PasswordResetDoneView):
    template_name = "login/forgotten_sent.html"


class NewPassword(views.PasswordResetConfirmView):
    """The page of the link in the e-mail. Django removes the token from the address, so no history or referrer
    has it.
    """

    template_name = "login/new_password.html"
    success_url = reverse_lazy("password_set")

    def form_valid(self, form: SetPasswordForm[Any]) -> HttpResponse:
        response = super().form_valid(form)
        note(form.user, "password.forgotten", form.user.get_username())
        return response


class PasswordSet(views.PasswordResetCompleteView):
    template_name = "login/password_set.html"


def home_of(user: Any) -> str:
    """The first page of a user: "manage", or that of interlibrary loan for members of a library without a rank."""
    is_member = role_of(user) is Role.PUBLIC and bool(desk_of(user).libraries)
    return reverse("loans") if is_member else reverse("manage")


def admin_login(request: HttpRequest) -> HttpResponse:
    """Redirect to the site's login, because the admin has none of its own."""
    query = request.META.get("QUERY_STRING", "")
    return redirect(f"{reverse('login')}?{query}" if query else "login")
