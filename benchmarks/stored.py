"""Stores records as a harvest does, for benchmarks that need no real harvest."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record
from harvesting.records.writing import public_id
from metadata.record import BibliographicRecord

PROVIDERS = 20


def providers() -> list[Repository]:
    """Create the repositories among which the records are distributed."""
    numbers = range(PROVIDERS)
    return [Repository.objects.create(number=f"R{900_000_000 + number}", name=f"{number}") for number in numbers]


def store(records: Sequence[BibliographicRecord], repositories: Sequence[Repository], position: int) -> None:
    """Insert the records as a harvest leaves them. position: number of the first record."""
    now = timezone.now()
    rows = []
    for number, record in enumerate(records, position):
        owner = repositories[number % len(repositories)]
        name = f"oai:benchmark:{number}"
        rows.append(
            SourceRecord(
                repository=owner,
                identifier=name,
                public_id=public_id(owner.number, name),
                metadata_prefix="dcndl",
                record=pack_record(record),
                payload_hash=b"x",
                changed_at=now,
            )
        )
    with transaction.atomic():
        SourceRecord.objects.bulk_create(rows, batch_size=1000)
