"""Two actions that records and issues share: fetching records again from their providers, and rereading stored data."""

from collections import defaultdict
from collections.abc import Mapping

from harvesting.bulk.base import Busy, Change, Portion
from harvesting.harvest.recheck import queue_recheck
from harvesting.models import BulkAction, Harvest, Recheck, Repository, SourceRecord
from harvesting.rereading.run import reread_now
from harvesting.types import TransportError

type Records = Mapping[int, int]  # id of a row of the action -> id of its record


def ask_again(portion: Portion, records: Records) -> list[Change]:
    """Queue harvests that fetch these records again. Raises Busy while one of the feeds is being harvested.

    A record that the action has requested already is not requested twice.
    """
    owners = _owners(records)
    asked = _asked(portion.bulk, owners)
    by_repository: defaultdict[int, list[int]] = defaultdict(list)
    for record in sorted(owners.keys() - asked):
        by_repository[owners[record]].append(record)
    repositories = Repository.objects.in_bulk(by_repository)
    for pk, wanted in by_repository.items():
        try:
            runs = queue_recheck(repositories[pk], wanted, portion.bulk.name)
        except TransportError as error:
            if error.code == "run.active":
                raise Busy from error
            continue  # not approved: it is not harvested
        portion.bulk.runs += [run.pk for run in runs]
        asked |= set(wanted)
    return [Change(number, owners[record]) for number, record in records.items() if record in asked]


def reread(portion: Portion, records: Records) -> list[Change]:
    """Read these records again by the current rules."""
    owners = _owners(records)
    reread_now(sorted(owners))
    return [Change(number, owners[record]) for number, record in records.items() if record in owners]


def _owners(records: Records) -> dict[int, int]:
    """Record id -> id of its provider, of the records that still exist."""
    return dict(SourceRecord.objects.filter(pk__in=set(records.values())).values_list("pk", "repository"))


def _asked(bulk: BulkAction, records: Mapping[int, int]) -> set[int]:
    """Return the records that the action has requested already, singly or with the whole list of their feed."""
    by_list = Harvest.objects.filter(pk__in=bulk.runs, identifier="").values("feed")
    found = set(SourceRecord.objects.filter(pk__in=records, feed__in=by_list).values_list("pk", flat=True))
    for rows in Recheck.objects.filter(harvest__in=bulk.runs).values_list("records", flat=True):
        found.update(row[0] for row in rows)
    return found & records.keys()
