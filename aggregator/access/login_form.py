"""The login form with its throttle, and the form that requests a new password."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from aggregator.access import login_throttle
from harvesting.accounts import forgotten

UNKNOWN = gettext_lazy("The login name or password is wrong. Both are case-sensitive.")


class LoginForm(AuthenticationForm):
    """Checks no password while the login throttle is active.

    A wrong password and an unknown or inactive account get the same message, so that accounts cannot be guessed.
    """

    error_messages = {"invalid_login": UNKNOWN, "inactive": UNKNOWN}

    def clean(self) -> dict[str, Any]:
        """Check the password. Raises ValidationError as Django does, and also while the throttle is active."""
        if self.request is None or not self.cleaned_data.get("username"):
            return super().clean()
        name, network = self.cleaned_data["username"], login_throttle.network_of(self.request)
        attempt = login_throttle.begin(name, network)
        if attempt.wait:
            raise ValidationError(waiting(attempt.wait), code="wait")
        cleaned = super().clean()
        login_throttle.succeed(attempt, name, network)
        return cleaned


def waiting(seconds: int) -> str:
    """Return the message that says how long the throttle lasts."""
    text = _("Too many failed attempts. Please try again %(when)s, or choose “I forgot my password”.")
    return text % {"when": _after(seconds)}


def waiting_for_letter(seconds: int) -> str:
    """Return the message that says how long to wait before this network may request another new password."""
    text = _("Too many requests from your network. Please try again %(when)s.")
    return text % {"when": _after(seconds)}


def _after(seconds: int) -> str:
    """Return "in 5 seconds", "in 2 minutes"."""
    if seconds < 60:
        return ngettext("in %(count)d second", "in %(count)d seconds", seconds) % {"count": seconds}
    minutes = -(-seconds // 60)
    return ngettext("in %(count)d minute", "in %(count)d minutes", minutes) % {"count": minutes}


class ForgottenForm(PasswordResetForm):
    """Stores the request; the letter is written later (see `harvesting.accounts.forgotten`)."""

    def save(self, *_arguments: Any, **_options: Any) -> None:
        """Store the request. Django's view calls this on a valid form, and expects no mail at once."""
        forgotten.request_letter(self.cleaned_data["email"], get_language() or settings.LANGUAGE_CODE)
