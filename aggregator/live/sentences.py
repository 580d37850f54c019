"""What readers and staff are told about the live search, in the active language. No database access."""

from collections.abc import Iterable

from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from aggregator.live.asking import State
from aggregator.live.question import Asked
from aggregator.query.parameters import LABELS
from harvesting.live.types import Refused

# Names of the conditions that not every live source supports: those of the search form, and some others.
NAMES = {
    **LABELS,
    "any": gettext_lazy("Keyword"),
    "year": gettext_lazy("Year"),
    "description": pgettext_lazy("search field", "Description"),
    "identifier": pgettext_lazy("search field", "Identifiers"),
    "jpno": pgettext_lazy("search field", "National bibliography number"),
    "masked": pgettext_lazy("search field", "Beginnings of numbers (*)"),
    "date": pgettext_lazy("search field", "Dates"),
    "excluded": pgettext_lazy("search field", "Alternatives that only exclude (OR NOT)"),
}
REFUSALS = {
    "field": gettext_lazy("This catalogue cannot be searched by: %(field)s"),
    "anywhere": gettext_lazy("This catalogue searches these words in all fields: %(field)s"),
    "range": gettext_lazy("This catalogue cannot be limited by: %(field)s"),
    "not": gettext_lazy("This catalogue cannot exclude words."),
    "or": gettext_lazy("This catalogue cannot search for alternatives (OR)."),
    "phrase": gettext_lazy("This catalogue cannot search for phrases; it was searched for the individual words."),
    "characters": gettext_lazy("The character encoding of this catalogue lacks some of the characters."),
}
_ELSE = gettext_lazy("This catalogue does not support part of the search.")
TIMEOUT = "net.timeout"  # code of a request that took too long
# For readers; what staff are told about a failure is in `harvesting`.
STATES = {
    State.ANSWERED: pgettext_lazy("catalogue", "answered"),
    State.ASKING: pgettext_lazy("catalogue", "searching"),
    State.FAILED: pgettext_lazy("catalogue", "no usable answer"),
    State.BUSY: pgettext_lazy("catalogue", "busy"),
    State.PAUSED: pgettext_lazy("catalogue", "out of order"),
    State.SPENT: pgettext_lazy("catalogue", "not searched"),
    State.LATE: pgettext_lazy("catalogue", "too slow"),
    State.UNASKED: pgettext_lazy("catalogue", "not searched"),
    State.LINK: pgettext_lazy("catalogue", "search there"),
}

EXPLANATIONS = {
    State.ASKING: gettext_lazy("Searching this catalogue …"),
    State.FAILED: gettext_lazy("This catalogue is not giving a readable answer at the moment."),
    State.BUSY: gettext_lazy("Many readers are searching this catalogue right now. Please try again in a moment."),
    State.PAUSED: gettext_lazy(
        "This catalogue has failed several times in a row and will not be searched for a few minutes."
    ),
    State.SPENT: gettext_lazy("Very many searches have come from your network. Please try again in a few minutes."),
    State.LATE: gettext_lazy("This catalogue did not answer within three seconds."),
    State.UNASKED: gettext_lazy("This catalogue supports none of the conditions of this search."),
    State.LINK: gettext_lazy("This catalogue cannot be searched from here. The link leads to its own search page."),
}


def explanation(state: State, code: str = "") -> str:
    """Return a sentence for readers; "" for an answer."""
    if state is State.FAILED and code == TIMEOUT:
        return str(EXPLANATIONS[State.LATE])
    return str(EXPLANATIONS.get(state, ""))


def refusals(refused: Iterable[Refused]) -> list[str]:
    """Return a sentence for each kind of condition that a source does not support; it names all fields concerned."""
    fields: dict[str, list[str]] = {}
    for refusal in refused:
        fields.setdefault(refusal.code, []).append(str(NAMES.get(refusal.field, refusal.field)))
    return [
        str(REFUSALS.get(code, _ELSE))
        % {"field": pgettext("between names", "; ").join(dict.fromkeys(filter(None, names)))}
        for code, names in fields.items()
    ]


def left_out(asked: Asked) -> list[str]:
    """Return the names of the conditions that no live source is asked for."""
    return list(dict.fromkeys(str(NAMES.get(name, name)) for name in asked.left_out))
