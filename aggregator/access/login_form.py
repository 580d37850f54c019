"""The forms of logging in: what is asked, and the mail about a forgotten password."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from aggregator.access import login_throttle
from harvesting.mail import texts

UNKNOWN = gettext_lazy("This login name and password do not belong together. Small and capital letters count.")


class LoginForm(AuthenticationForm):
    """Looks at no password while a brake holds; says the same of a wrong password and of an account that is none."""

    error_messages = {"invalid_login": UNKNOWN, "inactive": UNKNOWN}

    def clean(self) -> dict[str, Any]:
        """Raises ValidationError as Django does, also while one has to wait."""
        if self.request is None or not self.cleaned_data.get("username"):
            return super().clean()
        name, where = self.cleaned_data["username"], login_throttle.place(self.request)
        if seconds := login_throttle.wait(name, where):
            raise ValidationError(waiting(seconds), code="wait")
        try:
            given = super().clean()
        except ValidationError:
            login_throttle.failed(name, where)
            raise
        login_throttle.succeeded(name, where)
        return given


def waiting(seconds: int) -> str:
    """How long nobody can log in there."""
    if seconds < 60:
        told = ngettext("in %(count)d second", "in %(count)d seconds", seconds) % {"count": seconds}
    else:
        minutes = -(-seconds // 60)
        told = ngettext("in %(count)d minute", "in %(count)d minutes", minutes) % {"count": minutes}
    return _("Too many attempts failed. Please try again %(when)s, or choose “I forgot my password”.") % {"when": told}


class ForgottenForm(PasswordResetForm):
    """Posts the link to every open account of the address: whether there is one takes no longer to answer."""

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        """Called by Django for each account. context: user, uid, token. Templates are not used."""
        link = texts.address("password_new", context["uid"], context["token"])
        texts.password_letter(context["user"], to_email, link, get_language() or settings.LANGUAGE_CODE).save()
