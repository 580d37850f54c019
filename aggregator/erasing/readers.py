"""Erases what is stored under the e-mail address of a reader: alerts, and the address in reports."""

from dataclasses import dataclass

from django.db import transaction

from aggregator.alerts.requests import delete_address
from aggregator.models import ErrorReport


@dataclass(frozen=True, slots=True)
class ErasedReader:
    """How many alerts were deleted, and from how many reports the address was removed."""

    alerts: int
    reports: int


@transaction.atomic
def erase_reader(address: str) -> ErasedReader:
    """Delete the alerts of an address, and remove the address from all reports; their words stay."""
    reports = ErrorReport.objects.filter(email__iexact=address.strip()).update(email="")
    return ErasedReader(delete_address(address), reports)
