"""Records as staff look for them: by the provider's identifier, our id or address, or an ISBN. No HTTP."""

import re
from collections.abc import Sequence

from django.db.models import QuerySet

from aggregator.models import MatchKey
from harvesting.models import PUBLIC_ID, Repository, SourceRecord, Suppression
from metadata.identifiers import normalise

MOST = 100
_ID = re.compile(PUBLIC_ID)
HEAVY = ("payload", "rejected_payload")


def found(text: str, repositories: QuerySet[Repository]) -> Sequence[SourceRecord]:
    """What bears this identifier, id or ISBN among these repositories; MOST at most, the oldest first."""
    text = text.strip()
    if not text or "\x00" in text:
        return []
    numbers = _numbers(text, list(repositories.values_list("pk", flat=True)))
    rows = SourceRecord.objects.filter(pk__in=numbers[:MOST], repository__in=repositories)
    return list(rows.select_related("repository").defer(*HEAVY).order_by("pk"))


def _numbers(text: str, repositories: Sequence[int]) -> list[int]:
    public_id = _ID.search(text)
    if public_id:
        return list(SourceRecord.objects.filter(public_id=public_id[0]).values_list("pk", flat=True))
    named = SourceRecord.objects.filter(repository__in=repositories, identifier=text)
    isbn = normalise("ISBN", text)
    borne = MatchKey.objects.filter(key=int(isbn), source_record__repository__in=repositories) if isbn else None
    numbers = list(named.values_list("pk", flat=True)[:MOST])
    return numbers + (list(borne.values_list("source_record", flat=True)[:MOST]) if borne is not None else [])


def withheld(repositories: QuerySet[Repository]) -> Sequence[Suppression]:
    """What is withheld, the newest first."""
    rows = Suppression.objects.filter(record__repository__in=repositories).select_related("record__repository")
    heavy = tuple(f"record__{name}" for name in HEAVY)
    return list(rows.defer(*heavy).order_by("-decided_at")[:MOST])
