"""Texts that name the protocols, put together from what the transports say of themselves."""

from collections.abc import Callable, Iterable

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import TRANSPORTS


def labels(is_able: Callable[[TransportKind], bool]) -> str:
    """The names of the protocols whose transport is able to do something."""
    return _joined(_(kind.label) for kind in TRANSPORTS.values() if is_able(kind))


def address_help() -> str:
    """What to enter as the address of a feed."""
    return " ".join(_(kind.address) for kind in TRANSPORTS.values() if kind.address).replace("。 ", "。")


def places_help() -> str:
    """What to enter as an address of whatever kind."""
    places = _joined(_(kind.place) for kind in TRANSPORTS.values() if kind.place)
    return _("The address %(places)s, or of a file.") % {"places": places}


def prefix_help() -> str:
    """What to enter as its metadataPrefix."""
    defaults = dict.fromkeys(kind.default_prefix for kind in TRANSPORTS.values() if kind.needs_prefix)
    text = _(
        "%(protocols)s: the format to request (%(prefix)s if left empty). It may be left empty for other "
        "protocols: the format is detected from the records, and if a record comes in several "
        "formats, the most detailed one is used."
    )
    return text % {"protocols": labels(lambda kind: kind.needs_prefix), "prefix": ", ".join(defaults)}


def full_list_help() -> str:
    """When to enter a second address."""
    text = _("%(protocols)s only: the feed of all items, if it is separate from the feed of changes.")
    return text % {"protocols": full_list_label()}


def full_list_label() -> str:
    """The names of the protocols with a second address for all records."""
    return labels(lambda kind: kind.full_list_apart)


def interfaces_label() -> str:
    """The names of the protocols by which records are harvested from an address (not files, not live sources)."""
    return labels(lambda kind: kind.needs_address and not kind.is_live)


def files_label() -> str:
    """The name of the protocol of uploaded files."""
    return labels(lambda kind: kind.reads_files)


def _joined(words: Iterable[str]) -> str:
    return ("、" if get_language() == "ja" else ", ").join(words)
