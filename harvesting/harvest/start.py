"""Starting a harvest by hand: queues the run, records who started it, and tells that person when it begins."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from harvesting.audit import trail
from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.harvest.run import create_harvest
from harvesting.messages import describe
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.scheduling.schedule import quiet_end
from harvesting.types import TransportError


def start(feed: Feed, person: Any, **scope: Any) -> Harvest:
    """Queue a run for a person. scope: the keyword arguments of `create_harvest`, which also lists the errors."""
    with transaction.atomic():
        # The audit trail needs no "full", because it has the kind of the run.
        bounds = {name: value for name, value in scope.items() if value and name != "full"}
        run = create_harvest(feed, **scope, asked_by=person.get_username())
        trail.note(person, "harvest.start", run, details={"kind": run.kind, **bounds})
    return run


def scope_of(gap: DateWindow) -> dict[str, Any]:
    """The scope of a run that harvests a gap; a gap without any bound means the whole list."""
    bounded = bool(gap.from_date or gap.until_date)
    return {"from_date": gap.from_date, "until_date": gap.until_date, "full": not bounded}


def start_message(run: Harvest, feed: Feed) -> str:
    """Say when the run begins. Quiet hours delay it even though a person started it."""
    begin = quiet_end(feed, timezone.now())
    if begin is None:
        return _("Harvest #%(id)s of %(feed)s has been queued.") % {"id": run.pk, "feed": feed}
    moment = date_format(timezone.localtime(begin), "DATETIME_FORMAT")
    text = _("Harvest #%(id)s of %(feed)s will start at %(time)s, after the quiet hours.")
    return text % {"id": run.pk, "feed": feed, "time": moment}


def refusal_message(feed: Feed, error: TransportError) -> str:
    """Say why no run could be queued, and what to do first."""
    active = feed.harvests.active().first()
    if active and awaits_decision(active):
        return _("Harvest #%(id)s is waiting for a decision. Decide on it first.") % {"id": active.pk}
    return describe(error.code, error.facts)
