"""Starting a harvest by hand: what may be asked for, queueing it, noting who did, and saying when it begins."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from harvesting.audit import trail
from harvesting.completion.deletion_decisions import waits
from harvesting.harvest.run import create_harvest
from harvesting.messages import describe
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.scheduling.schedule import quiet_end
from harvesting.types import TransportError


def start(feed: Feed, person: Any, **scope: Any) -> Harvest:
    """Queue a run for a person. scope: as `create_harvest` takes it. TransportError as there."""
    with transaction.atomic():
        run = create_harvest(feed, **scope, asked_by=person.get_username())
        trail.note(person, "harvest.start", run, details={"kind": run.kind, **{k: v for k, v in scope.items() if v}})
    return run


def scope_of(gap: DateWindow) -> dict[str, Any]:
    """What asks for a gap again; one without any bound is the whole list."""
    bounded = bool(gap.from_date or gap.until_date)
    return {"from_date": gap.from_date, "until_date": gap.until_date, "full": not bounded}


def begins(run: Harvest, feed: Feed) -> str:
    """When the run begins, as a sentence: the dispatcher keeps quiet hours also where a person asked."""
    begin = quiet_end(feed, timezone.now())
    if begin is None:
        return _("Harvest #%(id)s of %(feed)s is queued.") % {"id": run.pk, "feed": feed}
    moment = date_format(timezone.localtime(begin), "DATETIME_FORMAT")
    text = _("Harvest #%(id)s of %(feed)s begins at %(time)s, when the quiet hours are over.")
    return text % {"id": run.pk, "feed": feed, "time": moment}


def refused(feed: Feed, error: TransportError) -> str:
    """Why no run could be queued, and what to do first."""
    active = feed.harvests.active().first()
    if active and waits(active):
        return _("Harvest #%(id)s waits for a person's decision. Decide about it first.") % {"id": active.pk}
    return describe(error.code, error.facts)
