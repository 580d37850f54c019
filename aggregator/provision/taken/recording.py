"""Records which lists harvesters take to their end: one row per list, whatever the number of records.

A harvester is known by the name of its API key, or else by its user agent and its network (/24 or /48); no address is
stored. Rows are removed after KEPT. Lists that a person opens in a browser are left out, and so are those that are
broken off: only a whole list says that all its records were taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from aggregator.access.api_keys import holder_of
from aggregator.models import TakenList
from core.database.batches import insert
from core.database.delayed_counts import DelayedCounts
from core.http.client_address import network
from core.http.clients import client_of

KEPT = timedelta(days=400)  # more than a year, so that a yearly harvest is seen
MOST_A_DAY = 5_000  # rows; more lists are a flood of small ones, and are left out
WRITE_SECONDS = 10.0  # between two writes
LONGEST = 100  # characters of a harvester's name
OAI_PMH, NDL, RESOURCESYNC = TakenList.Door
_COLUMNS = ("door", "client", "network", "set_spec", "first", "last", "first_item", "last_item", "taken_at")


@dataclass(frozen=True, slots=True)
class Span:
    """What a list has: the items of a set with a stamp from `first` to `last` (seconds since 1970) and with a number
    from first_item to last_item; all included.
    """

    set_spec: str
    first: int
    last: int
    first_item: int = 0
    last_item: int = 2**62


type _Taken = tuple[str, str, str, Span, datetime]  # door, client, network, span, when


def took(request: HttpRequest, door: TakenList.Door, span: Span) -> None:
    """Remember that the list was made to its end. The row is written when the answer was sent."""
    if request.method == "HEAD" or request.headers.get("Sec-Fetch-Dest") == "document":
        return
    holder = holder_of(request)
    if holder:
        client, prefix = holder.name[:LONGEST], ""
    else:
        agent, address = request.headers.get("User-Agent", ""), client_of(request)
        client = "".join(char for char in agent if char.isprintable())[:LONGEST].strip()
        prefix = str(network(address)) if address else ""
    TAKEN.note((door, client, prefix, span, timezone.now()))


def _store(counts: Mapping[_Taken, int]) -> None:
    last_day = TakenList.objects.filter(taken_at__gt=timezone.now() - timedelta(days=1)).count()
    rows = [
        (door, client, prefix, span.set_spec, span.first, span.last, span.first_item, span.last_item, at)
        for door, client, prefix, span, at in counts
    ]
    insert(TakenList, _COLUMNS, rows[: max(MOST_A_DAY - last_day, 0)])


# Written after an answer was sent, so that no harvester waits for it. Lists that follow within WRITE_SECONDS are
# written together, so that a flood of small lists costs one write in that time.
TAKEN: DelayedCounts[_Taken] = DelayedCounts(_store, WRITE_SECONDS, most=100)


@receiver(request_finished, dispatch_uid="taken")
def _write_due(**_about: object) -> None:
    TAKEN.write_due()


def forget(now: datetime) -> int:
    """Remove what is older than KEPT; return the number of rows."""
    return TakenList.objects.filter(taken_at__lt=now - KEPT).delete()[0]
