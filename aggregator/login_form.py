"""The forms of logging in: what is asked, and the mail about a forgotten password."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.urls import reverse
from django.utils.translation import gettext as _

from harvesting import mail


class ForgottenForm(PasswordResetForm):
    """Sends the link to every open account of the address, as plain text."""

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
        link = reverse("password_new", args=[context["uid"], context["token"]])
        text = "\n".join(
            [
                _("Somebody, probably you, asked for a new password for the account %(name)s.")
                % {"name": context["user"].get_username()},
                _("Choose it here within one hour:"),
                "",
                f"{settings.PUBLIC_URL}{link}",
                "",
                _("If it was not you, do nothing: your password stays as it is."),
            ]
        )
        mail.send(to_email, f"{_('Library Aggregator')}: {_('a new password')}", text)
