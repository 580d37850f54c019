"""The login form with its throttle, and the form that mails a link to set a new password."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from aggregator.access import login_throttle
from harvesting.mail import texts

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
        if seconds := login_throttle.seconds_to_wait(name, network):
            raise ValidationError(waiting(seconds), code="wait")
        try:
            cleaned = super().clean()
        except ValidationError:
            login_throttle.record_failure(name, network)
            raise
        login_throttle.record_success(name, network)
        return cleaned


def waiting(seconds: int) -> str:
    """Return the message that says how long the throttle lasts."""
    if seconds < 60:
        when = ngettext("in %(count)d second", "in %(count)d seconds", seconds) % {"count": seconds}
    else:
        minutes = -(-seconds // 60)
        when = ngettext("in %(count)d minute", "in %(count)d minutes", minutes) % {"count": minutes}
    return _("Too many failed attempts. Please try again %(when)s, or choose “I forgot my password”.") % {"when": when}


class ForgottenForm(PasswordResetForm):
    """Queues a mail with the link for every active account of the address.

    Mail is stored and sent later, so the response time does not reveal whether an account exists.
    """

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        """Store the mail for one account; called by Django. context: user, uid, token. The templates are not used."""
        link = texts.page_url("password_new", context["uid"], context["token"])
        texts.password_message(context["user"], to_email, link, get_language() or settings.LANGUAGE_CODE).save()
