"""Texts of outgoing messages: plain text in the recipient's language, with links to pages of the site.

Builds unsaved `OutgoingMessage` rows; sends nothing.
"""

import json
import secrets
from collections.abc import Sequence

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.models import Invitation, OutgoingMessage, Recipient, Repository

INVITATION, CONFIRM, STOP = "invitation", "notices.confirm", "notices.stop"  # salts: what a signed link is for

MAX_EVENTS = 50  # in one message

KINDS = {
    "invitation": gettext_lazy("invitation"),
    "password": gettext_lazy("password reset"),
    "confirm": gettext_lazy("address confirmation"),
    "notice": gettext_lazy("notification"),
    "trial": gettext_lazy("test message"),
    "issues": gettext_lazy("message about issues"),
    "loan": gettext_lazy("interlibrary loan"),
    "alert": gettext_lazy("alert of a reader"),
}


def page_url(name: str, *parts: object) -> str:
    """The absolute URL of a page."""
    return f"{settings.PUBLIC_URL}{reverse(name, args=parts)}"


def sign_token(salt: str, *parts: object) -> str:
    """Return the parts as a signed token for a URL. It is valid only for the purpose that `salt` names."""
    return signing.dumps([str(part) for part in parts], salt=salt)


def read_token(salt: str, text: str) -> list[str]:
    """Return the parts of a token made by `sign_token`; [] if its signature is wrong or it has another purpose."""
    try:
        return [str(part) for part in signing.loads(text, salt=salt)]
    except signing.BadSignature:
        return []


def random_key(kind: str) -> str:
    """A key for a message with a secret link. The key becomes the Message-ID, so it must not contain the secret."""
    return f"{kind}-{secrets.token_urlsafe(16)}"


def compose_message(key: str, kind: str, to: str, subject: str, paragraphs: Sequence[str]) -> OutgoingMessage:
    """An unsaved message: the paragraphs separated by blank lines, then a signature with the site's name and URL."""
    site = _("Library Aggregator")
    text = "\n\n".join([*filter(None, paragraphs), f"-- \n{site}\n{settings.PUBLIC_URL}"])
    return OutgoingMessage(key=key, kind=kind, address=to, subject=f"{site}: {subject}"[:300], text=text)


def invitation_link(invitation: Invitation) -> str:
    """The link of an invitation, which works once, until the invitation expires."""
    return page_url("invitation", sign_token(INVITATION, invitation.pk, invitation.nonce))


def invitation_message(invitation: Invitation) -> OutgoingMessage:
    """The message with the link of an invitation."""
    with translation.override(invitation.language):
        providers = ", ".join(repository.label for repository in invitation.repositories.all())
        ends = date_format(timezone.localtime(invitation.expires), "DATE_FORMAT")
        about = _("Providers assigned to you: %(providers)s") % {"providers": providers} if providers else ""
        what = (
            _("%(name)s has invited you to manage library records at %(site)s.")
            if invitation.role in Invitation.Role
            else _("%(name)s has invited you to handle interlibrary loans at %(site)s.")
        )
        paragraphs = [
            what % {"name": invitation.invited_by, "site": settings.PUBLIC_URL},
            about,
            _("Choose your password here:") + f"\n{invitation_link(invitation)}",
            _("The link works once, until %(day)s. If you did not expect this message, ignore it.") % {"day": ends},
        ]
        message = compose_message(random_key("invitation"), "invitation", invitation.email, _("invitation"), paragraphs)
    message.secret = True
    return message


def password_message(person: object, to: str, link: str, language: str) -> OutgoingMessage:
    """The message about a forgotten password. link: the absolute URL with the token."""
    name = person.get_username()  # type: ignore[attr-defined]
    with translation.override(language):
        paragraphs = [
            _("A new password was requested for the account %(name)s.") % {"name": name},
            _("Choose a new password here within one hour:") + f"\n{link}",
            _("If this was not you, ignore this message: your password does not change."),
        ]
        message = compose_message(random_key("password"), "password", to, _("a new password"), paragraphs)
    message.secret = True
    return message


def confirmation_message(to: Recipient) -> OutgoingMessage:
    """The message that asks the recipient to confirm an address; until then nothing else is sent there."""
    with translation.override(to.language):
        link = page_url("notices_confirm", sign_token(CONFIRM, to.pk, to.address))
        where = to.repository.label if to.repository else _("your providers")
        paragraphs = [
            _("This address was registered to receive notifications about the harvests of %(provider)s.")
            % {"provider": where},
            _("If this is correct, confirm it here:") + f"\n{link}",
            _("If not, ignore this message: you will receive no further e-mail."),
        ]
        subject = _("please confirm your address")
        message = compose_message(
            f"confirm-{to.pk}-{int(to.created.timestamp())}", "confirm", to.address, subject, paragraphs
        )
    message.recipient, message.repository, message.secret = to, to.repository, True
    return message


def stop_link(to: Recipient) -> str:
    """The URL where a recipient stops the notifications without logging in."""
    return page_url("notices_stop", sign_token(STOP, to.pk, to.address))


def notification_message(
    to: Recipient, key: str, subject: str, sentences: Sequence[str], repository: Repository | None
) -> OutgoingMessage:
    """A notification with the sentences of its events and a link that stops further ones, in the active language."""
    omitted = (
        [_("… and %(count)d more.") % {"count": len(sentences) - MAX_EVENTS}] if len(sentences) > MAX_EVENTS else []
    )
    stop = _("To stop these e-mails:") + f"\n{stop_link(to)}"
    settings_link = (
        _("To change when and how often they are sent:") + f"\n{page_url('notification_settings')}"
        if to.person_id
        else ""
    )
    message = compose_message(key, "notice", to.address, "", [*sentences[:MAX_EVENTS], *omitted, settings_link, stop])
    message.recipient, message.repository, message.subject = to, repository, subject[:300]
    message.unsubscribe = stop_link(to)
    return message


def trial_message(to: Recipient, key: str) -> OutgoingMessage:
    """A test message that shows whether notifications arrive at an address; JSON for a webhook."""
    with translation.override(to.language):
        text = _("This is a test message. Notifications are sent to this address.")
        message = compose_message(key, "trial", to.address, _("test message"), [text])
    message.recipient, message.repository, message.channel = to, to.repository, to.channel
    if to.channel == Recipient.Channel.WEBHOOK:
        message.text = json.dumps({"delivery": key, "event": "trial", "text": text}, ensure_ascii=False)
    return message
