"""The one place that hands mails to the operator's mail server (EMAIL_HOST), or to a folder where there is none."""

from collections.abc import Mapping

from django.conf import settings
from django.core.mail import EmailMessage

NO_HEADERS: Mapping[str, str] = {}


def is_set_up() -> bool:
    """Whether mails leave this machine."""
    return bool(settings.MAIL_SERVER["host"])


def send(to: str, subject: str, text: str, headers: Mapping[str, str] = NO_HEADERS) -> None:
    """Send one plain mail to one address. Raises OSError (smtplib's are) if the server does not take it."""
    one_line = " ".join(subject.split())  # what a provider called itself never makes a header of its own
    EmailMessage(one_line, text, settings.DEFAULT_FROM_EMAIL, [to], headers={**headers}).send()
