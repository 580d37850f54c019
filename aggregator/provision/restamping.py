"""Marks everything for stamping after an update with which all records are redistributed in another form.

In portions, one in every run of the aggregation: harvesters that ask for changes get some more records every time, and
not all of them at once. Until then a record is redistributed in its new form under its old stamp.
"""

from aggregator.models import Member, Provided, ProvidedTerms
from aggregator.provision.pending import mark_merged, of_record
from core.database.batches import chunks
from core.database.deferred_writes import Writes
from core.database.pacing import Pace
from harvesting.models import SourceRecord

FORM = 4  # raise it when the records of all providers and all books are redistributed in another form
PORTION = 5000  # records of a provider that are marked in one run, together with their books
PACE = Pace(1000)


def has_outdated() -> bool:
    """Return whether records that were redistributed in an earlier form wait for their portion."""
    return ProvidedTerms.objects.exclude(form=FORM).exists()


def mark_outdated() -> int:
    """Mark the next portion of one provider's records, and the books that contain them. Return how many records."""
    terms = ProvidedTerms.objects.exclude(form=FORM).order_by("pk").first()
    if terms is None:
        return 0
    records = SourceRecord.objects.filter(repository=terms.pk, pk__gt=terms.done).order_by("pk")
    pks = list(records.values_list("pk", flat=True)[:PORTION])
    rest = pks
    while rest:
        batch, rest = rest[: PACE.size()], rest[PACE.size() :]
        with PACE.transaction(len(batch)):
            _mark(batch)
    state = {"done": pks[-1]} if len(pks) == PORTION else {"form": FORM, "done": 0}
    ProvidedTerms.objects.filter(pk=terms.pk).update(**state)
    return len(pks)


def _mark(records: list[int]) -> None:
    """Mark these records and their books. Those that were never redistributed are compared, too: that is cheap."""
    writes = Writes()
    for chunk in chunks(records):
        Provided.objects.filter(pk__in=[of_record(pk) for pk in chunk]).update(waiting=True)
        mark_merged(set(Member.objects.filter(pk__in=chunk).values_list("manifestation", flat=True)), writes)
    writes.carry_out()
