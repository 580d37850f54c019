"""Says of every requested DOI whether it can be registered, and whether what was handed over has changed since.

Checks only rows whose record has changed, in batches; a process that is killed repeats the batch.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.database.batches import as_json, as_timestamp, update
from harvesting.doi import claims
from harvesting.doi.terms import terms_of
from harvesting.models import DoiEvent, RequestedDoi, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.deposits import crossref, jalc
from metadata.deposits.kinds import JALC
from metadata.deposits.needs import asked_for, missing
from metadata.deposits.terms import Terms, check_terms
from metadata.record import BibliographicRecord

BATCH = 500
MOST = 100_000  # rows of one job; the rest is for the next one
State = RequestedDoi.State
# The sender of a document that is only compared with another one.
_NOBODY = crossref.Batch(number="-", timestamp=0, depositor="-", email="-", registrant="-")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a DOI is now. state: "" if it was never handed over and no record asks for it any more."""

    state: str
    codes: tuple[str, ...] = ()
    digest: str = ""


@dataclass(slots=True)
class _Work:
    """One batch. terms: by id of the provider."""

    rows: Sequence[RequestedDoi]
    records: Mapping[int, BibliographicRecord]
    terms: dict[int, Terms] = field(default_factory=dict)

    def verdict(self, row: RequestedDoi) -> Verdict:
        if row.repository_id not in self.terms:
            self.terms[row.repository_id] = terms_of(row.repository_id)
        record = self.records.get(row.record_id or 0)
        return decide(row, record, self.terms[row.repository_id])


def decide(row: RequestedDoi, record: BibliographicRecord | None, terms: Terms) -> Verdict:
    """Say what a DOI is now. record: as it is registered here, None if it is not any more. Pure."""
    if asked_for(record) != (row.agency, row.doi) or record is None:
        return Verdict(State.GONE if row.sent_digest else "", digest=row.digest)
    issues = [*missing(record, row.agency), *check_terms(record, terms)]
    if issues:
        return Verdict(State.BLOCKED, tuple(dict.fromkeys(issue.code for issue in issues)), row.digest)
    digest = digest_of(record, row.agency)
    if not row.sent_digest:
        return Verdict(State.READY, digest=digest)
    if row.sent_digest != digest:
        return Verdict(row.state if row.state == State.SENT else State.CHANGED, digest=digest)
    if row.state == State.SENT:
        return Verdict(State.SENT, digest=digest)
    return Verdict(State.REFUSED if row.message else State.REGISTERED, digest=digest)


def digest_of(record: BibliographicRecord, agency: str) -> str:
    """Return a digest of the document of one record, without what differs from one delivery to the next."""
    document = jalc.write([record], "-") if agency == JALC else crossref.write([record], _NOBODY)
    return hashlib.sha256(document).hexdigest()


def check_changed() -> int:
    """Check the DOIs of changed records; return how many."""
    done = 0
    while done < MOST and (count := _check_batch()):
        done += count
    return done


def is_due() -> bool:
    """Whether there are DOIs to check."""
    return RequestedDoi.objects.filter(checked_at=None).exists()


def find_vanished() -> None:
    """Mark the DOIs to be checked whose record was deleted or withheld outside a harvest."""
    vanished = Q(record=None) | Q(record__deleted=True) | Q(record__suppressed_at__isnull=False)
    RequestedDoi.objects.filter(vanished).exclude(state=State.GONE).update(checked_at=None)


def check_everything(repository_id: int) -> Iterator[int]:
    """Claim the DOIs that a provider's records ask for, then mark all its DOIs to be checked again.

    Yield the number of records in each batch.
    """
    position, live = 0, SourceRecord.objects.filter(repository=repository_id, deleted=False, suppressed_at=None)
    while rows := list(
        live.filter(pk__gt=position).exclude(record=b"").order_by("pk").values_list("pk", "record")[:BATCH]
    ):
        position = rows[-1][0]
        asked = {pk: asked_for(unpack_record(bytes(packed))) for pk, packed in rows}
        with transaction.atomic():
            claims.claim(asked, repository_id)
        yield len(rows)
    RequestedDoi.objects.filter(repository=repository_id).update(checked_at=None)


@transaction.atomic
def _check_batch() -> int:
    unchecked = RequestedDoi.objects.filter(checked_at=None).order_by("pk").select_for_update(skip_locked=True)
    rows = list(unchecked[:BATCH])
    work = _Work(rows, _records([row.record_id for row in rows if row.record_id]))
    store_verdicts([(row, work.verdict(row)) for row in rows])
    return len(rows)


def _records(pks: list[int]) -> dict[int, BibliographicRecord]:
    live = SourceRecord.objects.filter(pk__in=pks, deleted=False, suppressed_at=None).exclude(record=b"")
    return {pk: unpack_record(bytes(packed)) for pk, packed in live.values_list("pk", "record")}


def store_verdicts(verdicts: Sequence[tuple[RequestedDoi, Verdict]]) -> None:
    """Store what the DOIs are now. A change of the state is added to the history of a DOI."""
    now = timezone.now()
    superfluous = [row.pk for row, verdict in verdicts if not verdict.state]
    RequestedDoi.objects.filter(pk__in=superfluous).delete()
    kept = [(row, verdict) for row, verdict in verdicts if verdict.state]
    moment = as_timestamp(now)
    update(
        RequestedDoi,
        ("state", "codes", "digest", "checked_at", "changed_at"),
        [
            (
                str(verdict.state),
                as_json(list(verdict.codes)),
                verdict.digest,
                moment,
                as_timestamp(now if _differs(row, verdict) else row.changed_at),
                row.pk,
            )
            for row, verdict in kept
        ],
    )
    DoiEvent.objects.bulk_create(
        DoiEvent(requested_doi=row, at=now, state=verdict.state, message=" ".join(verdict.codes), digest=verdict.digest)
        for row, verdict in kept
        if _differs(row, verdict)
    )


def _differs(row: RequestedDoi, verdict: Verdict) -> bool:
    return (row.state, list(row.codes)) != (verdict.state, list(verdict.codes))


def mark_handed_over(rows: Sequence[RequestedDoi]) -> int:
    """Mark DOIs as handed over with the XML that they had when the rows were read; return how many."""
    return _mark(rows, State.SENT)


def mark_registered(repository_id: int, agency: str) -> int:
    """Mark the DOIs of a provider that were handed over as registered; return how many."""
    handed_over = RequestedDoi.objects.filter(repository=repository_id, agency=agency, state=State.SENT, delivery=None)
    return _mark(list(handed_over), State.REGISTERED)


@transaction.atomic
def _mark(rows: Sequence[RequestedDoi], state: RequestedDoi.State) -> int:
    now = timezone.now()
    events = []
    for row in rows:
        digest = row.digest if state == State.SENT else row.sent_digest
        columns = {"state": state, "sent_digest": digest, "message": "", "changed_at": now, "checked_at": None}
        if RequestedDoi.objects.filter(pk=row.pk, state=row.state).update(**columns):
            events.append(DoiEvent(requested_doi=row, at=now, state=state, digest=digest))
    DoiEvent.objects.bulk_create(events, batch_size=500)
    return len(events)
