"""What a reader sees of a library's answer about borrowing: a sign, a word, and what there is to add."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from aggregator.availability.answers import Availability, State
from aggregator.availability.inquiries import Reply

SIGNS = {
    State.AVAILABLE: "○",
    State.IN_HOUSE: "△",
    State.ON_LOAN: "×",
    State.RESERVED: "×",
    State.NOT_LENT: "×",
    State.UNKNOWN: "?",
}
WORDS = {
    State.AVAILABLE: pgettext_lazy("availability", "Available"),
    State.IN_HOUSE: pgettext_lazy("availability", "In the library only"),
    State.ON_LOAN: pgettext_lazy("availability", "On loan"),
    State.RESERVED: pgettext_lazy("availability", "Reserved"),
    State.NOT_LENT: pgettext_lazy("availability", "Not for loan"),
    State.UNKNOWN: pgettext_lazy("availability", "Not known"),
}
UNANSWERED = gettext_lazy("The library’s system does not answer now.")


@dataclass(frozen=True, slots=True)
class Shown:
    """A library's answer in the language of the page. state: for the style sheet. details: short phrases."""

    state: str
    sign: str
    word: str
    details: tuple[str, ...]
    href: str


def shown(reply: Reply) -> Shown:
    """Return the words for a reply, with the time since when it is known."""
    availability = reply.availability
    details = [str(UNANSWERED)] if reply.failed else list(_details(availability))
    if availability.state is not State.UNKNOWN:
        details.append(_("as of %(time)s") % {"time": date_format(localtime(reply.at), "H:i")})
    state = availability.state
    return Shown(state.value, SIGNS[state], str(WORDS[state]), tuple(details), availability.href)


def _details(availability: Availability) -> Iterator[str]:
    if availability.copies > 1 and availability.lendable:
        yield _("%(lendable)s of %(copies)s copies") % {
            "lendable": availability.lendable,
            "copies": availability.copies,
        }
    if availability.due:
        due = date.fromisoformat(availability.due)
        day = date_format(due, "MONTH_DAY_FORMAT" if due.year == localdate().year else "DATE_FORMAT")
        yield _("due %(day)s") % {"day": day}
    if availability.queue:
        yield ngettext("%(count)s reader waiting", "%(count)s readers waiting", availability.queue) % {
            "count": availability.queue
        }
    if availability.delayed:
        yield pgettext("availability", "has to be fetched first")
    yield from filter(None, (availability.place, availability.note))
