"""Keep the index of this machine up to date where another machine merges books, and both have the embedded engine.

The other machine notes every change for the indexes that follow (`indexing.ledger`). An index that is new here, was
lost, or has not followed for too long, is built from the database.
"""

from django.db import transaction
from django.utils import timezone

from aggregator.indexing.build import reindex, write_noted
from aggregator.indexing.ledger import count_missing
from aggregator.indexing.place import name_place, place, writing_here
from aggregator.indexing.state import missing_books, rebuild_is_due
from aggregator.models import IndexChange, IndexLedger
from aggregator.search import get_index


def follow() -> int:
    """Do what is due once. Return how many books were written; 0 also while another process of this machine writes.

    Raises IndexUnavailable.
    """
    with writing_here() as ours:
        if not ours:
            return 0
        if not place():
            _begin()
        built = sum(reindex()) if _has_no_ledger() or rebuild_is_due() else 0
        IndexLedger.objects.filter(place=place()).update(followed_at=timezone.now())
        written = sum(write_noted())
    if missing_books():
        count_missing()
    if not written:
        get_index().tidy()
    return built + written


def _begin() -> None:
    """Follow from now on. If this machine was the one whose index has no name, its ledger gets the name too."""
    own = get_index().facts().generation if get_index().is_current() else ""
    name = name_place()
    if own:
        with transaction.atomic():
            if IndexLedger.objects.filter(place="", generation=own).update(place=name, followed_at=timezone.now()):
                IndexChange.objects.filter(place="").update(place=name)


def _has_no_ledger() -> bool:
    """Whether this index follows for the first time, or was forgotten."""
    return not IndexLedger.objects.filter(place=place()).exists()
