"""Recognises records to which a provider has given new identifiers, by content that old and new record share.

Content is what a cataloguer would compare: title, volume, edition, persons, year and ISBN, folded. Two records match
only if no other old or new record has the same content. The new record becomes the `successor` of the old one.
"""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime

from core.database.batches import chunks, select_in
from harvesting.models import Harvest, SourceRecord
from harvesting.records import seen
from harvesting.records.compression import unpack_record
from harvesting.records.suppression import suppress_successors
from harvesting.runs.fencing import write_fenced
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

PART = 200_000  # records compared in one pass, which limits the memory
CHUNK = 500  # records per query and per transaction
AMBIGUOUS = 0  # as a content key: too little content to recognise; as a record's id: several records share the key


def link_successors(run: Harvest, absent: Sequence[int], size: int) -> int:
    """Find the successors of absent records among the new ones and store them; return how many were found.

    absent: ids. size: an upper bound for the number of records; more than PART are compared in several passes.
    """
    renamed = 0
    for pairs in find_pairs(absent, new_or_changed(run), size):
        store_successors(run, pairs)
        renamed += len(pairs)
    return renamed


def find_pairs(old_records: Sequence[int], new_records: Sequence[int], size: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the ids of old and new records with the same content, in parts. size: as in `link_successors`."""
    parts = 1 + size // PART
    for part in range(parts):
        old = _by_content(old_records, parts, part)
        new = _by_content(new_records, parts, part, wanted=set(old))
        yield [(pk, new[content]) for content, pk in old.items() if pk and new.get(content)]


def new_or_changed(run: Harvest) -> Sequence[int]:
    """The ids of the records seen by the run that are new or changed since the feed's last successful full run."""
    records = SourceRecord.objects.filter(repository=run.feed.repository_id, deleted=False)
    since = _last_full(run)
    return seen.among(records.filter(changed_at__gt=since) if since else records, [run.pk], seen=True)


def content_key(record: BibliographicRecord) -> int:
    """A hash of what the record describes; AMBIGUOUS if it says too little to recognise it by."""
    names = [creator.name for creator in record.creators] or list(record.responsibility)
    isbn = record.values("ISBN")
    if not record.title or not (names or isbn or record.issued):
        return AMBIGUOUS
    parts = [record.title, record.volume, record.edition, record.issued, *sorted(names), *sorted(isbn)]
    text = "\x1f".join(map(fold_tight, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _last_full(run: Harvest) -> datetime | None:
    """When the last successful full run before this one finished."""
    done = run.feed.harvests.filter(state=Harvest.State.SUCCEEDED, kind=Harvest.Kind.FULL, pk__lt=run.pk).first()
    return done.finished_at if done else None


def _by_content(records: Sequence[int], parts: int, part: int, wanted: set[int] | None = None) -> dict[int, int]:
    """Content key -> id of the record, AMBIGUOUS if several records share it.

    Only keys with `key % parts == part` are returned, and of these only the wanted ones (None = all).
    """
    by_content: dict[int, int] = {}
    for pk, packed in _packed_records(records):
        key = content_key(unpack_record(packed)) if packed else AMBIGUOUS
        if key and key % parts == part and (wanted is None or key in wanted):
            by_content[key] = AMBIGUOUS if key in by_content else pk
    return by_content


def _packed_records(records: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Ids and packed canonical records, read in chunks so that no cursor stays open during our own writes."""
    for pks in chunks(records, CHUNK):
        yield from sorted((pk, bytes(packed)) for pk, packed in select_in(SourceRecord, ("id", "record"), "id", pks))


def store_successors(run: Harvest, pairs: list[tuple[int, int]]) -> None:
    """Store the second record of each pair as the successor of the first."""
    for start in range(0, len(pairs), CHUNK):
        write_fenced(run)
        SourceRecord.objects.bulk_update(
            [SourceRecord(pk=old, successor_id=new) for old, new in pairs[start : start + CHUNK]], ["successor"]
        )
        suppress_successors(pairs[start : start + CHUNK])
