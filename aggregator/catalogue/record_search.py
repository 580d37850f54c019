"""Finds records for staff: by identifier, by id or address of a record, by address of a book, or by ISBN. No HTTP."""

import re
from collections.abc import Sequence

from django.db.models import QuerySet

from aggregator.models import MatchKey, Member
from aggregator.numbers.following import follow
from harvesting.models import PAYLOAD_COLUMNS, PUBLIC_ID, Repository, SourceRecord, Suppression
from metadata.identifiers import normalise

MOST = 100
_ID = re.compile(PUBLIC_ID)
_BOOK_ADDRESS = re.compile(r"/books/M([1-9][0-9]{0,17})\b")  # M and digits alone may be a provider's identifier


def search_records(text: str, repositories: QuerySet[Repository]) -> Sequence[SourceRecord]:
    """Return the records of these repositories that the text names by identifier, id, address or ISBN.

    At most MOST, the oldest first.
    """
    text = text.strip()
    if not text or "\x00" in text:
        return []
    numbers = _record_numbers(text, list(repositories.values_list("pk", flat=True)))
    rows = SourceRecord.objects.filter(pk__in=numbers[:MOST], repository__in=repositories)
    return list(rows.select_related("repository").defer(*PAYLOAD_COLUMNS).order_by("pk"))


def _record_numbers(text: str, repositories: Sequence[int]) -> list[int]:
    public_id = _ID.search(text)
    if public_id:
        return list(SourceRecord.objects.filter(public_id=public_id[0]).values_list("pk", flat=True))
    if book := _BOOK_ADDRESS.search(text):
        current = follow([int(book[1])]).values()
        return list(
            Member.objects.filter(manifestation__in=current, source_record__repository__in=repositories)
            .order_by("pk")
            .values_list("pk", flat=True)[:MOST]
        )
    with_identifier = SourceRecord.objects.filter(repository__in=repositories, identifier=text)
    isbn = normalise("ISBN", text)
    numbers = list(with_identifier.values_list("pk", flat=True)[:MOST])
    if not isbn:
        return numbers
    cores = MatchKey.objects.filter(key=int(isbn)).values("core")
    bearers = Member.objects.of_cores(cores).filter(source_record__repository__in=repositories)
    return numbers + list(bearers.values_list("source_record", flat=True)[:MOST])


def withheld_records(repositories: QuerySet[Repository]) -> Sequence[Suppression]:
    """Return the suppressions of these repositories, the newest first."""
    rows = Suppression.objects.filter(record__repository__in=repositories).select_related("record__repository")
    heavy = tuple(f"record__{name}" for name in PAYLOAD_COLUMNS)
    return list(rows.defer(*heavy).order_by("-decided_at")[:MOST])
