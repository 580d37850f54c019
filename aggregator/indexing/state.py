"""The state of the search index in one small value: for staff's pages, `reindex --status` and monitoring."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from aggregator.indexing.place import place
from aggregator.models import IndexChange, IndexLedger, Manifestation
from aggregator.search import get_index
from aggregator.search.base import Facts, IndexUnavailable
from core.database.batches import select_in
from core.database.dialects import dialect

MOST_COUNTED = 100_000  # waiting changes; beyond this they are not counted
SILENT = 15 * 60  # seconds without activity after which a build counts as killed
BACKLOG, BACKLOG_SHARE = 1_000, 0.01  # books that may wait for the index without readers being told
RETRY = 10 * 60  # seconds after a failed build until the next is begun without a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Building:
    """An index being built: its progress, and whether it showed no activity for SILENT seconds."""

    since: datetime
    seen: datetime
    documents: int
    of: int
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """The state of the search index.

    engine, shape, generation, documents, size (bytes): see `search.base.Facts`; "" and 0 while there is a problem.
    problem: the code of IndexUnavailable, "" when the index can be searched. incomplete: it began empty after the
    former one was removed, or has lost books, so `reindex` is needed. waiting: changes it does not contain yet, at most
    MOST_COUNTED. oldest: the time of the oldest of these; lag: its age in seconds. switched_at: when a newly built
    index was put in place.
    """

    engine: str = ""
    shape: str = ""
    generation: str = ""
    documents: int = 0
    size: int = 0
    problem: str = ""
    incomplete: bool = False
    waiting: int = 0
    oldest: datetime | None = None
    lag: float = 0.0
    switched_at: datetime | None = None
    building: Building | None = None


def index_state() -> IndexState:
    """Return the current state. Takes a few milliseconds, whatever the size of the catalogue."""
    now = timezone.now()
    facts, problem = _facts()
    ledger = own_ledger() or IndexLedger()
    to_index = Manifestation.objects.to_index()
    noted = changes_here()
    moments = (to_index.values_list("changed_at", flat=True).first(), noted.values_list("noted_at", flat=True).first())
    oldest = min(filter(None, moments), default=None)
    return IndexState(
        engine=facts.engine,
        shape=facts.shape,
        generation=facts.generation,
        documents=facts.documents,
        size=facts.size,
        problem=problem,
        incomplete=ledger.incomplete or _was_replaced(ledger, facts, problem),
        waiting=min(to_index.order_by()[:MOST_COUNTED].count() + noted[:MOST_COUNTED].count(), MOST_COUNTED),
        oldest=oldest,
        lag=max((now - oldest).total_seconds(), 0.0) if oldest else 0.0,
        switched_at=ledger.switched_at,
        building=_building(ledger, now),
    )


def own_ledger() -> IndexLedger | None:
    """The ledger of this machine's index; None before its first document."""
    return IndexLedger.objects.filter(place=place()).first()


def changes_here() -> QuerySet[IndexChange]:
    """The changes that this machine's index lacks because others have written them, oldest first."""
    return IndexChange.objects.filter(place=place()).order_by("id")


def lacks_books() -> bool:
    """Whether the live index was removed, or is another that began empty afterwards, so that searches miss books."""
    ledger = own_ledger()
    if ledger is None or not ledger.generation:
        return bool(ledger and ledger.incomplete)
    facts, problem = _facts()
    return not problem and (ledger.incomplete or (facts.generation != ledger.generation and not facts.documents))


def is_elsewhere() -> bool:
    """Whether the index is on another machine and this one has none: with the embedded engine, workers also run on
    machines where nothing is searched. Where the index was removed, it is built anew (`rebuild_is_due`).
    """
    if settings.SEARCH_URL or not dialect().is_networked:
        return False
    ledger = own_ledger()
    return bool(ledger and ledger.generation) and not get_index().facts().generation


def is_partial() -> bool:
    """Whether the live index lacks more books than usually wait for it: it was lost, or is being filled."""
    found = select_in(IndexLedger, ("incomplete", "missing"), "place", [place()])  # every search asks
    return any(incomplete or missing for incomplete, missing in found)


def missing_books() -> int:
    """Return how many books the index lacked when they were last counted, 0 for a usual backlog."""
    return (own_ledger() or IndexLedger()).missing


def rebuild_is_due() -> bool:
    """Whether the index has to be built anew and nobody is doing so. After a failure, not before RETRY is over."""
    ledger = own_ledger()
    if ledger is None:
        return False
    wait = SILENT if ledger.building_since else RETRY
    if ledger.building_seen and (timezone.now() - ledger.building_seen).total_seconds() < wait:
        return False
    return lacks_books() or _facts()[1] == "damaged"


def _facts() -> tuple[Facts, str]:
    try:
        return get_index().facts(), ""
    except IndexUnavailable as problem:
        return Facts(engine="", shape=""), problem.code


def _was_replaced(ledger: IndexLedger, facts: Facts, problem: str) -> bool:
    """Whether the live index is another one than the ledger names, although no build was running: the former was
    removed, and a new one began empty. The ledger does not say so yet.
    """
    expected = not ledger.generation or ledger.building_since is not None or facts.generation == ledger.generation
    return not expected and not problem


def _building(ledger: IndexLedger, now: datetime) -> Building | None:
    if ledger.building_since is None or ledger.building_seen is None:
        return None
    return Building(
        since=ledger.building_since,
        seen=ledger.building_seen,
        documents=ledger.built,
        of=ledger.to_build,
        silent=(now - ledger.building_seen).total_seconds() > SILENT,
    )
