"""Delivery of mail to the operator's mail server (EMAIL_HOST), or into a folder where none is configured.

No other module sends mail.
"""

from collections.abc import Mapping

from django.conf import settings
from django.core.mail import EmailMessage

NO_HEADERS: Mapping[str, str] = {}


def is_set_up() -> bool:
    """Whether a mail server is configured; without one, mail stays on this machine."""
    return bool(settings.MAIL_SERVER["host"])


def send(to: str, subject: str, text: str, headers: Mapping[str, str] = NO_HEADERS) -> None:
    """Send one plain-text mail to one address.

    Raises OSError if the server does not accept it (the exceptions of smtplib are OSErrors).
    """
    one_line = " ".join(subject.split())  # a line break in a provider's name must not start a new header
    EmailMessage(one_line, text, settings.DEFAULT_FROM_EMAIL, [to], headers={**headers}).send()
