"""Deletion by absence: what a complete full list leaves out. In chunks, repeatable after a crash. No network.

Only after a run that has seen everything (see `harvesting.completion.conclusion`). Up to a threshold the absent
records are deleted at once, beyond it their deletion waits for a person. With several feeds in a repository, absence
from one only ends the record's membership there; a record is gone when no feed lists it.
"""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.checkpoints import checkpoint
from core.database.keyset import steps
from harvesting.completion import renames
from harvesting.completion.conclusion import carry_out, decide, waiting_facts
from harvesting.completion.guards import Action, Verdict, most_absent
from harvesting.completion.held_deletions import hold
from harvesting.models import Harvest, Membership, RecordIssue, SourceRecord
from harvesting.records import tombstones
from harvesting.records.membership import leave, several_feeds
from harvesting.runs import observations as findings
from harvesting.runs.fencing import write_held
from harvesting.types import Observation
from metadata.issue import Severity

CHUNK = 500  # records of one transaction
MADE_UP = "urn:sha256:"  # how the identifiers of harvesting.records.sanitising.made_up begin
RENAMED_SHARE = 0.8  # of the absent records: then the provider has given new identifiers


def sweep(run: Harvest) -> None:
    """Carry on a run behind its list: look for absent records where they are to be looked for, then end it.

    Raises TransportError "run.lease_lost" when another worker has taken the run.
    """
    checkpoint("sweep.before")
    verdict = decide(run)
    if verdict.action is not Action.SWEEP:
        with transaction.atomic():
            carry_out(run, verdict)
        return
    listed = seen(run)
    if run.complete_list_size and run.complete_list_size != listed:
        _note(run, "safety.size", received=listed, announced=run.complete_list_size)
    else:
        _compare(run)
    _end(run)


def seen(run: Harvest) -> int:
    """How many different records the run was sent, deleted ones included."""
    if not several_feeds(run.feed):
        return SourceRecord.objects.filter(repository=run.feed.repository_id, last_harvest=run.pk).count()
    listed = Membership.objects.filter(feed=run.feed_id, last_harvest=run.pk).count()
    gone = SourceRecord.objects.filter(repository=run.feed.repository_id, last_harvest=run.pk, deleted=True)
    return listed + gone.exclude(memberships__feed=run.feed_id).count()


def absent(run: Harvest) -> QuerySet[SourceRecord]:
    """The live records that only this feed listed, and that the run has not seen."""
    live = SourceRecord.objects.filter(deleted=False).exclude(payload_hash=b"")
    if not several_feeds(run.feed):
        return live.filter(feed=run.feed_id).exclude(last_harvest=run.pk)
    memberships = Membership.objects.filter(record=OuterRef("pk"))
    stale = memberships.filter(feed=run.feed_id).exclude(last_harvest=run.pk)
    return live.filter(Exists(stale), ~Exists(memberships.exclude(feed=run.feed_id)))


def nameless(run: Harvest) -> QuerySet[SourceRecord]:
    """The records of the run whose identifier could not be read, or not for certain."""
    rejected = SourceRecord.objects.filter(
        repository=run.feed.repository_id, last_harvest=run.pk, payload_hash=b"", deleted=False
    )
    damage = Q(code__startswith="oai.") | Q(code__startswith="xml.") | Q(code="harvest.E001")
    damaged = RecordIssue.objects.filter(damage, source_record=OuterRef("pk"), severity=Severity.RECORD_ERROR.value)
    return rejected.filter(Q(identifier__startswith=MADE_UP) | Exists(damaged))


def _compare(run: Harvest) -> None:
    """Look what is absent. Nothing follows from it where a record came without a name that can be read."""
    if not several_feeds(run.feed):
        _adopt(run)
        _drop_refused(run)
    count, damaged = absent(run).count(), nameless(run).count()
    if not damaged:
        _remove(run, count)
    elif count:  # each of the damaged ones may be one of these
        _note(run, "safety.nameless", rejected=damaged, absent=count)


def _remove(run: Harvest, count: int) -> None:
    """Delete the absent records, or hold their deletion where they are too many."""
    renamed = renames.recognise(run, absent(run), run.live_before or 0) if count else 0
    if renamed:
        _note(run, "safety.renamed", renamed=renamed)
    if run.swept + count <= most_absent(run.live_before or 0):
        for chunk in _chunks(absent(run)):
            _delete(run, chunk)
    else:
        for chunk in _chunks(absent(run)):
            _hold(run, chunk)
    if several_feeds(run.feed):
        _end_memberships(run)


def _adopt(run: Harvest) -> None:
    """The records of a feed that is gone belong to the only one there is."""
    for pks in steps(SourceRecord.objects.filter(repository=run.feed.repository_id, feed=None), CHUNK):
        with transaction.atomic():
            write_held(run)
            SourceRecord.objects.filter(pk__in=pks, feed=None).update(feed=run.feed_id)


def _drop_refused(run: Harvest) -> None:
    """Records that were never accepted and are not sent any more: nobody needs their error report."""
    refused = SourceRecord.objects.filter(feed=run.feed_id, deleted=False, payload_hash=b"")
    for chunk in _chunks(refused.exclude(last_harvest=run.pk)):
        with transaction.atomic():
            write_held(run)
            SourceRecord.objects.filter(pk__in=chunk).delete()


def _chunks(records: QuerySet[SourceRecord]) -> Iterator[list[int]]:
    """The numbers of the records, asked for piece by piece."""
    last = 0
    while chunk := list(records.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        yield chunk
        last = chunk[-1]


def _delete(run: Harvest, pks: list[int]) -> None:
    with transaction.atomic():
        write_held(run)
        buried = tombstones.bury(absent(run).filter(pk__in=pks), SourceRecord.Deletion.ABSENT)
        write_held(run, swept=run.swept + buried)
        checkpoint("sweep.before_commit")
    checkpoint("sweep.after_commit")


def _hold(run: Harvest, pks: list[int]) -> None:
    with transaction.atomic():
        write_held(run)
        write_held(run, held=hold(run, pks, SourceRecord.Deletion.ABSENT))
        checkpoint("sweep.before_commit")
    checkpoint("sweep.after_commit")


def _end_memberships(run: Harvest) -> None:
    """What this feed lists no longer, but another does, stays and belongs to that one."""
    memberships = Membership.objects.filter(record=OuterRef("pk"))
    stale = memberships.filter(feed=run.feed_id).exclude(last_harvest=run.pk)
    for chunk in _chunks(SourceRecord.objects.filter(Exists(stale), Exists(memberships.exclude(feed=run.feed_id)))):
        with transaction.atomic():
            write_held(run)
            leave(run.feed, chunk)


def _note(run: Harvest, code: str, **facts: int) -> None:
    """Write a finding down once, however often the run is taken up."""
    others = {name: each for name, each in run.observations.items() if name != code}
    write_held(run, observations=findings.merged(others, [Observation(code=code, facts=facts)]))


def _end(run: Harvest) -> None:
    facts = waiting_facts(run)
    live = run.live_before or 0
    verdict = Verdict(action=Action.SUCCEED)
    if facts:
        renamed = run.observations.get("safety.renamed", {}).get("facts", {}).get("renamed", 0)
        most = renamed >= RENAMED_SHARE * int(facts["count"])
        code = "safety.renamed_most" if most else "safety.deletions"
        verdict = Verdict(action=Action.WAIT, code=code, facts={"live": live, "renamed": renamed})
    with transaction.atomic():
        carry_out(run, verdict)
