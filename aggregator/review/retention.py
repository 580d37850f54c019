"""Forgets the e-mail addresses that readers gave with their reports, some time after staff have dealt with them."""

from datetime import datetime, timedelta

from aggregator.models import ErrorReport

KEPT = timedelta(days=90)


def forget(now: datetime) -> int:
    """Remove the e-mail addresses from reports that were handled more than KEPT ago; return how many."""
    return ErrorReport.objects.filter(handled__lt=now - KEPT).exclude(email="").update(email="")
