"""Looks through all stored records of a provider for what is to be handed over: DOIs and doctoral theses."""

from collections.abc import Iterator

from django.db import transaction

from harvesting.doi import claims
from harvesting.doi.verdicts import all_records
from harvesting.models import DoctoralThesis, RequestedDoi
from harvesting.theses import states as theses
from metadata.deposits.needs import asked_for
from metadata.deposits.theses import is_collected


def look_through(repository_id: int) -> Iterator[int]:
    """Note what the records ask for, and mark all of the provider to be checked again.

    Yield the number of records in each batch.
    """
    for records in all_records(repository_id):
        with transaction.atomic():
            claims.claim({pk: asked_for(record) for pk, record in records.items()}, repository_id)
            theses.store([pk for pk, record in records.items() if is_collected(record)], repository_id)
        yield len(records)
    RequestedDoi.objects.filter(repository=repository_id).update(checked_at=None)
    DoctoralThesis.objects.filter(repository=repository_id).update(checked_at=None)
