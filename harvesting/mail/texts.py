"""What letters say: plain text in the reader's language, with the address of the page where to go on. Sends nothing."""

import json
from collections.abc import Sequence

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.models import Invitation, OutgoingMessage, Recipient, Repository

INVITATION, CONFIRM, STOP = "invitation", "notices.confirm", "notices.stop"  # what a signed link opens

MOST_TOLD = 50  # events in one letter

KINDS = {
    "invitation": gettext_lazy("invitation"),
    "password": gettext_lazy("forgotten password"),
    "confirm": gettext_lazy("question whether an address is right"),
    "notice": gettext_lazy("notice"),
    "trial": gettext_lazy("trial"),
}


def address(name: str, *parts: object) -> str:
    """The full address of a page."""
    return f"{settings.PUBLIC_URL}{reverse(name, args=parts)}"


def token(salt: str, *parts: object) -> str:
    """A signed text for an address; nobody else can make one, and it opens nothing but what `salt` names."""
    return signing.dumps([str(each) for each in parts], salt=salt)


def opened(salt: str, text: str) -> list[str]:
    """What `token` was given, [] if it is not ours."""
    try:
        return [str(each) for each in signing.loads(text, salt=salt)]
    except signing.BadSignature:
        return []


def letter(key: str, kind: str, to: str, subject: str, paragraphs: Sequence[str]) -> OutgoingMessage:
    """A mail, not stored yet: each paragraph apart from the next, the site's name at the end."""
    site = _("Library Aggregator")
    text = "\n\n".join([*filter(None, paragraphs), f"-- \n{site}\n{settings.PUBLIC_URL}"])
    return OutgoingMessage(key=key, kind=kind, address=to, subject=f"{site}: {subject}"[:300], text=text)


def invitation_letter(made: Invitation) -> OutgoingMessage:
    """The link works once, until the invitation expires."""
    with translation.override(made.language):
        link = address("invitation", token(INVITATION, made.pk, made.nonce))
        providers = ", ".join(each.label for each in made.repositories.all())
        ends = date_format(timezone.localtime(made.expires), "DATE_FORMAT")
        about = _("You are to look after: %(providers)s") % {"providers": providers} if providers else ""
        paragraphs = [
            _("%(name)s invites you to look after library records at %(site)s.")
            % {"name": made.invited_by, "site": settings.PUBLIC_URL},
            about,
            _("Choose your password here:") + f"\n{link}",
            _("The link works once, until %(day)s. If you did not expect this, do nothing.") % {"day": ends},
        ]
        sent = letter(f"invitation-{made.pk}-{made.nonce}", "invitation", made.email, _("invitation"), paragraphs)
    sent.secret = True
    return sent


def password_letter(person: object, to: str, link: str, language: str) -> OutgoingMessage:
    """For a forgotten password. link: the full address with the token."""
    name = person.get_username()  # type: ignore[attr-defined]
    with translation.override(language):
        paragraphs = [
            _("Somebody, probably you, asked for a new password for the account %(name)s.") % {"name": name},
            _("Choose it here within one hour:") + f"\n{link}",
            _("If it was not you, do nothing: your password stays as it is."),
        ]
        sent = letter(f"password-{link.rpartition('/')[2][-60:]}", "password", to, _("a new password"), paragraphs)
    sent.secret = True
    return sent


def confirm_letter(to: Recipient) -> OutgoingMessage:
    """Asks whether an address is right, before anything else goes there."""
    with translation.override(to.language):
        link = address("notices_confirm", token(CONFIRM, to.pk, to.address))
        where = to.repository.label if to.repository else _("your providers")
        paragraphs = [
            _("This address was given to receive notices about the harvests of %(provider)s.") % {"provider": where},
            _("If that is right, confirm it here:") + f"\n{link}",
            _("If not, do nothing: no further mail will come."),
        ]
        subject = _("please confirm your address")
        sent = letter(f"confirm-{to.pk}-{int(to.created.timestamp())}", "confirm", to.address, subject, paragraphs)
    sent.recipient, sent.repository, sent.secret = to, to.repository, True
    return sent


def stop_link(to: Recipient) -> str:
    """Where a reader says that no more shall come, without logging in."""
    return address("notices_stop", token(STOP, to.pk, to.address))


def notice_letter(
    to: Recipient, key: str, subject: str, told: Sequence[str], repository: Repository | None
) -> OutgoingMessage:
    """The sentences of one or several events, in the language in force, and how to have no more of them."""
    most = [_("… and %(count)d more.") % {"count": len(told) - MOST_TOLD}] if len(told) > MOST_TOLD else []
    end = _("To have no more of these mails:") + f"\n{stop_link(to)}"
    wishes = _("When and how often they come:") + f"\n{address('notice_wishes')}" if to.person_id else ""
    made = letter(key, "notice", to.address, "", [*told[:MOST_TOLD], *most, wishes, end])
    made.recipient, made.repository, made.subject = to, repository, subject[:300]
    return made


def trial_letter(to: Recipient, key: str) -> OutgoingMessage:
    """Somebody wants to see whether it arrives."""
    with translation.override(to.language):
        text = _("This is a trial: notices arrive here.")
        made = letter(key, "trial", to.address, _("a trial"), [text])
    made.recipient, made.repository, made.channel = to, to.repository, to.channel
    if to.channel == Recipient.Channel.WEBHOOK:
        made.text = json.dumps({"delivery": key, "event": "trial", "text": text}, ensure_ascii=False)
    return made
