"""Notes the doctoral theses among the records, and says of each whether it is complete and was handed over."""

import datetime
import hashlib
from collections.abc import Collection, Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from core.database.batches import as_timestamp, select_in, upsert
from harvesting.doi import claims, verdicts
from harvesting.doi.verdicts import MOST, Records, Verdict, all_records, mark_to_check
from harvesting.models import DoctoralThesis, Harvest, RequestedDoi, SourceRecord
from harvesting.records.decisions import Change, Outcome
from metadata.deposits.needs import asked_for
from metadata.deposits.theses import UNTIL_A_DAY, is_collected, needs, write
from metadata.record import BibliographicRecord

State = DoctoralThesis.State


def note(harvest: Harvest, changes: Sequence[Change]) -> None:
    """Store the theses among the records of a batch, and mark those of changed records to be checked again."""
    changed = [change.known.pk for change in changes if change.known and change.outcome is not Outcome.UNCHANGED]
    mark_to_check(DoctoralThesis, changed)
    names = [change.record.identifier for change in changes if change.packed and is_collected(change.reading.record)]
    if names:
        repository = harvest.feed.repository_id
        stored = select_in(SourceRecord, ("id",), "identifier", names, repository_id=repository)
        store([pk for (pk,) in stored], repository)


def store(pks: Collection[int], repository_id: int) -> None:
    """Note that these records are theses, which are to be checked."""
    new = {"state": State.BLOCKED.value, "codes": "[]", "digest": "", "sent_digest": ""}
    rest = (*new.values(), as_timestamp(timezone.now()))
    upsert(
        DoctoralThesis,
        ("record_id", "repository_id", "checked_at", *new, "changed_at"),
        [(pk, repository_id, None, *rest) for pk in pks],
        unique=("record_id",),
        replaced=("checked_at",),
    )


def decide(row: DoctoralThesis, record: BibliographicRecord | None, today: datetime.date) -> Verdict:
    """Say what a thesis is now. record: as it is registered here, None if it is not any more. Pure."""
    if record is None or not is_collected(record):
        return Verdict(State.GONE if row.sent_digest else "", digest=row.digest)
    issues = list(needs(record, today))
    if issues:
        return Verdict(State.BLOCKED, tuple(dict.fromkeys(issue.code for issue in issues)), row.digest)
    digest = digest_of(write(record))
    if not row.sent_digest:
        return Verdict(State.READY, digest=digest)
    return Verdict(State.SENT if row.sent_digest == digest else State.CHANGED, digest=digest)


def digest_of(document: bytes) -> str:
    """Return by what a description is known after it was handed over."""
    return hashlib.sha256(document).hexdigest()


def check_changed(most: int = MOST) -> int:
    """Check the theses of changed records; return how many."""
    return verdicts.check_changed(DoctoralThesis, _judge, most)


def _judge(rows: Sequence[DoctoralThesis], records: Records) -> list[Verdict]:
    today = timezone.localdate()
    return [decide(row, records.get(row.record_id or 0), today) for row in rows]


def is_due() -> bool:
    """Whether there are theses to check."""
    return DoctoralThesis.objects.filter(checked_at=None).exists()


def find_due() -> None:
    """Mark, once a day, the theses that wait for a day. Such rules are the first of the codes."""
    begin = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    waiting = DoctoralThesis.objects.filter(state=State.BLOCKED, checked_at__lt=begin, codes__0__in=UNTIL_A_DAY)
    waiting.update(checked_at=None)


def look_through(repository_id: int) -> Iterator[int]:
    """Note what the records ask for, and mark all of the provider to be checked again.

    Yield the number of records in each batch.
    """
    for records in all_records(repository_id):
        with transaction.atomic():
            claims.claim({pk: asked_for(record) for pk, record in records.items()}, repository_id)
            store([pk for pk, record in records.items() if is_collected(record)], repository_id)
        yield len(records)
    RequestedDoi.objects.filter(repository=repository_id).update(checked_at=None)
    DoctoralThesis.objects.filter(repository=repository_id).update(checked_at=None)
