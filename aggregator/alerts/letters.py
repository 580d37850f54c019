"""The two mails of an alert: one asks to confirm it, the other lists new books. Plain text without pictures; links lead
directly to pages of this site, and nothing shows whether they were followed.
"""

from collections.abc import Iterable
from urllib.parse import quote

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from aggregator.alerts.searches import in_words_of
from aggregator.catalogue.books import Book
from aggregator.catalogue.identity import permanent_address
from aggregator.models import SearchAlert
from harvesting.mail.texts import compose_message, page_url, random_key, sign_token
from harvesting.models import OutgoingMessage
from metadata.display_title import display_title
from metadata.xml.parsing import strip_illegal

KIND = "alert"  # key of harvesting.mail.texts.KINDS
CONFIRM, STOP = "alerts.confirm", "alerts.stop"  # salts: what a signed link is for
LONGEST = 300  # characters of a line


def confirmation(alert: SearchAlert, how: str) -> OutgoingMessage:
    """The mail that asks whether the address wants the alert. how: how
    often mails are wanted, as requested now; a confirmed alert may have had another choice."""
    with translation.override(alert.language):
        link = page_url("alert_confirm", sign_token(CONFIRM, alert.pk, alert.nonce, how))
        paragraphs = [
            _("Somebody, probably you, asked for an e-mail about new books of this search:"),
            _words(alert),
            _("How often: %(how)s") % {"how": SearchAlert.How(how).label},
            _("If you want this, confirm it here:") + f"\n{link}",
            _("If not, do nothing: your address will be deleted after a few days, and no further e-mail will be sent."),
        ]
        message = compose_message(random_key(KIND), KIND, alert.address, _("please confirm your alert"), paragraphs)
    message.secret = True
    return message


def news(alert: SearchAlert, books: Iterable[Book], more: bool) -> OutgoingMessage:
    """The mail with new books. more: there are others than these."""
    with translation.override(alert.language):
        page = f"{settings.PUBLIC_URL}{reverse('search')}?{alert.search}"
        stop = stop_link(alert)
        paragraphs = [
            _("New in the catalogue for your search:") + f"\n{_words(alert)}",
            *map(_lines, books),
            _("There are more new books.") if more else "",
            _("The whole search:") + f"\n{page}",
            _("To delete this alert and your address at once:") + f"\n{stop}",
        ]
        subject = _("new books: %(search)s") % {"search": ", ".join(in_words_of(alert.search)) or _("all books")}
        message = compose_message(random_key(KIND), KIND, alert.address, subject, paragraphs)
    message.secret, message.unsubscribe = True, stop
    return message


def stop_link(alert: SearchAlert) -> str:
    return page_url("alert_stop", sign_token(STOP, alert.pk, alert.nonce))


def _words(alert: SearchAlert) -> str:
    return "\n".join(in_words_of(alert.search)) or _("all books")


def _lines(book: Book) -> str:
    record = book.record
    people = "; ".join(creator.name for creator in record.creators[:3])
    imprint = ", ".join(filter(None, (*(publisher.name for publisher in record.publishers[:1]), record.issued)))
    lines = (display_title(record) or book.public_id, " / ".join(filter(None, (people, imprint))))
    return "\n".join([*(_one_line(line) for line in lines if line), quote(permanent_address(book), safe=":/?=&%#")])


def _one_line(text: str) -> str:
    return " ".join(strip_illegal(text).split())[:LONGEST]
