"""Which harvesters have taken the current form of a record: derived from the lists that they read to their end."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min

from aggregator.models import TakenList
from aggregator.provision import listing
from aggregator.provision.contents import all_terms
from aggregator.provision.listing import Entry
from aggregator.provision.sets import COPIES, EVERY_REPOSITORY, EVERYTHING, Part, part_of
from aggregator.provision.taken.recording import TAKEN

MOST = 200  # harvesters and sets


@dataclass(frozen=True, slots=True)
class Harvester:
    """A service that has the record as it is now. client: name of its API key, or its user agent; "" if it sent none.
    network: "" for a key. at: when it took the record first in this form.
    """

    door: TakenList.Door
    client: str
    network: str
    at: datetime


def harvesters_of(name: str) -> list[Harvester]:
    """Return the harvesters that have taken a record (its public name) since it last changed, the first one first."""
    TAKEN.write()
    entry = listing.find(name)
    if entry is None:
        return []
    rows = (
        TakenList.objects.filter(
            first__lte=entry.stamp, last__gte=entry.stamp, first_item__lte=entry.item, last_item__gte=entry.item
        )
        .order_by()
        .values_list("door", "client", "network", "set_spec")
        .annotate(at=Min("taken_at"))
        .order_by("at")[:MOST]
    )
    found: dict[tuple[str, str, str], Harvester] = {}
    terms = all_terms()
    for door, client, network, set_spec, at in rows:
        part = part_of(set_spec, terms) if set_spec else EVERYTHING
        if part is not None and _holds(part, entry):
            harvester = Harvester(TakenList.Door(door), client, network, at)
            found.setdefault((door, client, network), harvester)
    return list(found.values())


def _holds(part: Part, entry: Entry) -> bool:
    """Return whether an entry belongs to a part of the redistributed data."""
    if part.parts:
        return any(_holds(one, entry) for one in part.parts)
    types = entry.types.split()
    if (part.type and part.type not in types) or not set(part.without).isdisjoint(types):
        return False
    if part.origin == EVERY_REPOSITORY:
        return entry.origin > 0
    return entry.origin != COPIES if part.origin is None else entry.origin == part.origin
