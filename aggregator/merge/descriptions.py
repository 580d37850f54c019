"""Which records are copies of one description, and what of a record belongs to the copy and not to the description.
Pure.

Libraries copy descriptions from each other: thousands of records may repeat one description with all its errors. So
what a merge counts are different descriptions, not records. A record is a copy of another one if they differ only in
what belongs to the copy: its address, its links and its items. These are in the table of holdings.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from msgspec import structs

from aggregator.merge.rules import RULES
from aggregator.search.access import is_open
from metadata.record import BibliographicRecord

type TrustedRecord = tuple[BibliographicRecord, int]  # a record, and how much its provider is trusted

_OF_THE_COPY = frozenset(("uri", "repository_number", "see_also", "items", "sources"))
_description = attrgetter(*(name for name in RULES if name not in _OF_THE_COPY))
# The fields in which the value that most descriptions state is taken, and (below) the persons and publishers.
# Descriptions that agree in all of these say the same: a cataloguer who copies a description often adds a note or a
# subject.
_DECIDED = tuple(name for name, rule in RULES.items() if rule.single and name not in _OF_THE_COPY and rule.make_key)
_statement = attrgetter(*_DECIDED, "creators", "publishers")


def different(ranked: Iterable[TrustedRecord]) -> list[TrustedRecord]:
    """Return the different descriptions, each as its best record. ranked: the best first."""
    seen: set[tuple[Any, ...]] = set()
    return [one for one in ranked if not (_in(seen, _description(one[0])))]


def heard_once(ranked: Sequence[BibliographicRecord]) -> list[BibliographicRecord]:
    """Return these descriptions without those that say the same as a better one."""
    seen: set[tuple[Any, ...]] = set()
    return [one for one in ranked if not _in(seen, _statement(one))]


def _in(seen: set[tuple[Any, ...]], key: tuple[Any, ...]) -> bool:
    """Return whether the key was seen before, and note it."""
    size = len(seen)
    seen.add(key)
    return len(seen) == size


def without_items(merged: BibliographicRecord, records: Iterable[BibliographicRecord]) -> BibliographicRecord:
    """Return a merged record without items; only that a copy can be read freely remains, as a statement on access.
    records: those that were merged.
    """
    stated = dict.fromkeys([item.availability for record in records for item in record.items if item.availability])
    added = [text for text in stated if is_open(text) and text not in merged.access_rights]
    changes: dict[str, Any] = {"items": ()} if merged.items else {}
    if added:
        changes["access_rights"] = (*merged.access_rights, *added)
    return structs.replace(merged, **changes) if changes else merged
