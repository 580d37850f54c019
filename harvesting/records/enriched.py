"""Stores what enrichment rules changed in records, in the caller's transaction, and gives the records without them.

A record of a provider that has never had rules costs nothing here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.utils import timezone

from core.database.batches import as_json, as_timestamp, select_in, upsert
from harvesting.models import EnrichedRecord, Harvest, SourceRecord
from harvesting.records.compression import pack_record
from harvesting.records.decisions import Change
from metadata.issue import Enriched
from metadata.policy import Policy

_COLUMNS = ("record_id", "version", "names", "original", "changed_at")
_REPLACED = ("version", "names", "original", "changed_at")
_NO_NAMES = as_json(())


class EnrichedRow(NamedTuple):
    """What is stored of a record about the rules: see `EnrichedRecord`. original: compressed."""

    version: int
    names: tuple[str, ...] = ()
    original: bytes = b""


def enriched_row(enriched: Enriched | None) -> EnrichedRow | None:
    """Return the row of a reading; None if its provider has never had rules."""
    if enriched is None:
        return None
    try:
        original = pack_record(enriched.original) if enriched.original is not None else b""
    except UnicodeEncodeError:  # lone surrogates, which JSON can carry and the rules removed
        original = b""
    return EnrichedRow(enriched.version, enriched.names, original)


def write(harvest: Harvest, changes: Sequence[Change], policy: Policy) -> None:
    """Store the rows of the records of a batch that are registered now."""
    if policy.enrichment is None:
        return
    rows = {change.record.identifier: enriched_row(change.reading.enriched) for change in changes if change.packed}
    repository = harvest.feed.repository_id
    stored = select_in(SourceRecord, ("identifier", "id"), "identifier", list(rows), repository_id=repository)
    replace({pk: row for identifier, pk in stored if (row := rows[identifier])})


def replace(rows: Mapping[int, EnrichedRow]) -> None:
    """Store these rows, by the ids of their records."""
    now = as_timestamp(timezone.now())
    values = [(pk, row.version, as_json(row.names), row.original, now) for pk, row in rows.items()]
    upsert(EnrichedRecord, _COLUMNS, values, unique=("record_id",), replaced=_REPLACED)


def forget(pks: Collection[int]) -> None:
    """Delete the rows of these records."""
    if pks:
        EnrichedRecord.objects.filter(record__in=pks).delete()


def stored_rows(pks: Iterable[int]) -> dict[int, EnrichedRow]:
    """Return the rows of these records, by their ids."""
    rows = EnrichedRecord.objects.filter(record__in=list(pks)).values_list("record", "version", "names", "original")
    return {pk: EnrichedRow(version, tuple(names), bytes(original)) for pk, version, names, original in rows}


def originals(pks: Collection[int]) -> dict[int, bytes]:
    """Return the records without the rules that changed them, compressed, by id; b"" if there is none to give.

    Records that no rule changed are left out: what is stored of them is what their provider says.
    """
    rows = select_in(EnrichedRecord, ("record_id", "names", "original"), "record_id", pks)
    return {pk: bytes(original) for pk, names, original in rows if names != _NO_NAMES}


def original_of(source: SourceRecord) -> bytes:
    """Return a record as its provider describes it, compressed: without enrichment rules; b"" if there is none."""
    return bytes(source.enriched.original if is_changed_by_rules(source) else source.record)


def is_changed_by_rules(source: SourceRecord) -> bool:
    """Whether enrichment rules have changed the record."""
    row: EnrichedRecord | None = getattr(source, "enriched", None)
    return row is not None and bool(row.names)
