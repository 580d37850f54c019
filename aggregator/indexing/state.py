"""How the search index is doing, in one small value: for the pages of staff, for `reindex --status`, for machines."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from aggregator.models import IndexLedger, Manifestation
from aggregator.search import get_index
from aggregator.search.base import Facts, IndexUnavailable

MOST_COUNTED = 100_000  # of those that wait; more are not counted one by one
SILENT = 15 * 60  # seconds without a sign of life after which a build is taken for killed


@dataclass(frozen=True, slots=True, kw_only=True)
class Building:
    """An index that is being built: how far it is, and whether nothing was heard of it for SILENT seconds."""

    since: datetime
    seen: datetime
    documents: int
    of: int
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """engine, shape, generation, documents, size (bytes): see `search.base.Facts`; "" and 0 while there is a problem.

    problem: the code of IndexUnavailable, "" when it can be searched. incomplete: it began empty after the former one
    was removed, so `reindex` is needed. waiting: changes that it does not know yet, MOST_COUNTED at most.
    oldest: since when the oldest of them waits; lag: the same in seconds. switched_at: when one that was built took its
    place.
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
    """Of this moment. A few milliseconds, whatever the size of the catalogue."""
    now = timezone.now()
    facts, problem = _facts()
    ledger = IndexLedger.objects.first() or IndexLedger()
    to_index = Manifestation.objects.to_index()
    oldest = to_index.values_list("changed_at", flat=True).first()
    return IndexState(
        engine=facts.engine,
        shape=facts.shape,
        generation=facts.generation,
        documents=facts.documents,
        size=facts.size,
        problem=problem,
        incomplete=ledger.incomplete or _was_replaced(ledger, facts, problem),
        waiting=to_index.order_by()[:MOST_COUNTED].count(),
        oldest=oldest,
        lag=max((now - oldest).total_seconds(), 0.0) if oldest else 0.0,
        switched_at=ledger.switched_at,
        building=_building(ledger, now),
    )


def _facts() -> tuple[Facts, str]:
    try:
        return get_index().facts(), ""
    except IndexUnavailable as problem:
        return Facts(engine="", shape=""), problem.code


def _was_replaced(ledger: IndexLedger, facts: Facts, problem: str) -> bool:
    """Whether another index is there than the one that was written to, and none that was built: nobody settled yet."""
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
