"""Deletion by absence: deletes the records that a complete list does not contain. No network access.

Called only after a run that has seen everything (see `harvesting.completion.conclusion`). Up to a limit the absent
records are deleted at once; beyond it all these deletions are held for a person. If a repository has several feeds,
absence from one only ends the record's membership there; a record is deleted when no feed lists it any more. The
sweep works in chunks and can be repeated after a crash.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.checkpoints import checkpoint
from core.database.batches import chunks
from core.database.keyset import pk_batches
from harvesting.completion import renames, renumbering
from harvesting.completion.conclusion import apply_verdict, figures_of, verdict_for, waiting_facts
from harvesting.completion.guards import Action, Verdict, held_back
from harvesting.completion.held_deletions import hold_deletions, may_delete_absent
from harvesting.models import Harvest, Membership, RecordIssue, SourceRecord
from harvesting.records import membership, seen, tombstones
from harvesting.records.membership import has_several_feeds, mark_unlisted
from harvesting.runs import observations
from harvesting.runs.fencing import write_fenced
from harvesting.types import Observation
from metadata.issue import Severity

CHUNK = 500  # records per transaction
MADE_UP = "urn:sha256:"  # prefix of the identifiers that harvesting.records.sanitising.made_up_identifier makes
RENAMED_SHARE = 0.8  # if so many absent records have a successor, the provider has renumbered its records


def sweep(run: Harvest) -> None:
    """Finish a run after its list: handle the absent or renumbered records if there are any, then end the run.

    If the list size that the provider announced differs from what it sent, nothing is concluded from absence.
    Raises TransportError "run.lease_lost" if another worker has taken the run.
    """
    checkpoint("sweep.before")
    verdict = verdict_for(run)
    if verdict.action is Action.SUCCEED:
        renumbering.hold_renamed(run)
        _end(run, "safety.renamed_new")
        return
    if verdict.action is not Action.SWEEP:
        with transaction.atomic():
            apply_verdict(run, verdict)
        return
    if run.complete_list_size and (listed := count_seen(run)) != run.complete_list_size:
        _note(run, "safety.size", received=listed, announced=run.complete_list_size)
    else:
        _handle_absent(run)
    _end(run)


def count_seen(run: Harvest) -> int:
    """How many different records the run received, including deleted ones."""
    records = SourceRecord.objects.filter(repository=run.feed.repository_id)
    if not has_several_feeds(run.feed):
        return len(seen.among(records, [run.pk], seen=True))
    listed = membership.count_seen(run.feed, run.pk)
    deleted = records.filter(deleted=True).exclude(memberships__feed=run.feed_id)
    return listed + len(seen.among(deleted, [run.pk], seen=True))


def absent_records(run: Harvest) -> Sequence[int]:
    """The ids of the live records that only this feed has listed and that the run has not seen."""
    return seen.among(_unmarked_records(run), [run.pk], seen=False)


def _unmarked_records(run: Harvest) -> QuerySet[SourceRecord]:
    """The live records that only this feed has listed and that the run has not written."""
    live = SourceRecord.objects.filter(deleted=False).exclude(payload_hash=b"")
    if not has_several_feeds(run.feed):
        return live.filter(feed=run.feed_id).exclude(last_harvest=run.pk)
    memberships = Membership.objects.filter(record=OuterRef("pk"))
    stale = memberships.filter(feed=run.feed_id).exclude(last_harvest=run.pk)
    return live.filter(Exists(stale), ~Exists(memberships.exclude(feed=run.feed_id)))


def unidentified_records(run: Harvest) -> QuerySet[SourceRecord]:
    """The rejected records of the run whose identifier is unreadable or uncertain."""
    rejected = SourceRecord.objects.filter(
        repository=run.feed.repository_id, last_harvest=run.pk, payload_hash=b"", deleted=False
    )
    damage = Q(code__startswith="oai.") | Q(code__startswith="xml.") | Q(code="harvest.E001")
    damaged = RecordIssue.objects.filter(damage, source_record=OuterRef("pk"), severity=Severity.RECORD_ERROR.value)
    return rejected.filter(Q(identifier__startswith=MADE_UP) | Exists(damaged))


def _handle_absent(run: Harvest) -> None:
    """Look for absent records and delete them, unless the run received a record without a readable identifier.

    Such a record may be any of those that seem to be absent.
    """
    if not has_several_feeds(run.feed):
        _adopt_orphans(run)
        _drop_refused(run)
    absent, unidentified = absent_records(run), unidentified_records(run).count()
    if not unidentified:
        _remove(run, absent)
    elif absent:
        _note(run, "safety.nameless", rejected=unidentified, absent=len(absent))


def _remove(run: Harvest, absent: Sequence[int]) -> None:
    """Delete the absent records, or hold their deletion if there are too many."""
    renamed = renames.link_successors(run, absent, run.live_before or 0) if absent else 0
    if renamed:
        _note(run, "safety.renamed", renamed=renamed)
    finish = _delete if may_delete_absent(run, run.swept + len(absent)) else _hold
    for chunk in chunks(absent, CHUNK):
        finish(run, chunk)
    if has_several_feeds(run.feed):
        _end_memberships(run)


def _adopt_orphans(run: Harvest) -> None:
    """Assign the records whose feed no longer exists to the repository's only feed."""
    for pks in pk_batches(SourceRecord.objects.filter(repository=run.feed.repository_id, feed=None), CHUNK):
        with transaction.atomic():
            write_fenced(run)
            SourceRecord.objects.filter(pk__in=pks, feed=None).update(feed=run.feed_id)


def _drop_refused(run: Harvest) -> None:
    """Delete records that were never accepted and are not sent any more: nobody needs their issues."""
    refused = SourceRecord.objects.filter(feed=run.feed_id, deleted=False, payload_hash=b"")
    for chunk in chunks(seen.among(refused, [run.pk], seen=False), CHUNK):
        with transaction.atomic():
            write_fenced(run)
            SourceRecord.objects.filter(pk__in=chunk).delete()


def _delete(run: Harvest, pks: list[int]) -> None:
    with transaction.atomic():
        write_fenced(run)
        deleted = tombstones.mark_deleted(
            _unmarked_records(run).filter(pk__in=pks), SourceRecord.Deletion.ABSENT, run.pk
        )
        write_fenced(run, swept=run.swept + deleted)
        checkpoint("sweep.before_commit")
    checkpoint("sweep.after_commit")


def _hold(run: Harvest, pks: list[int]) -> None:
    with transaction.atomic():
        write_fenced(run)
        write_fenced(run, held=hold_deletions(run, pks, SourceRecord.Deletion.ABSENT))
        checkpoint("sweep.before_commit")
    checkpoint("sweep.after_commit")


def _end_memberships(run: Harvest) -> None:
    """End this feed's membership for records that another feed still lists; they then belong to that feed."""
    memberships = Membership.objects.filter(record=OuterRef("pk"))
    stale = memberships.filter(feed=run.feed_id).exclude(last_harvest=run.pk)
    shared = SourceRecord.objects.filter(Exists(stale), Exists(memberships.exclude(feed=run.feed_id)))
    for chunk in chunks(seen.among(shared, [run.pk], seen=False), CHUNK):
        with transaction.atomic():
            write_fenced(run)
            mark_unlisted(run.feed, chunk)


def _note(run: Harvest, code: str, **facts: int) -> None:
    """Store an observation that counts once, however often the run is resumed."""
    others = {name: entry for name, entry in run.observations.items() if name != code}
    write_fenced(run, observations=observations.merged(others, [Observation(code=code, facts=facts)]))


def _end(run: Harvest, code: str = "") -> None:
    """Let the run succeed, or wait if it holds deletions. code: why it waits, "" = because records are absent."""
    facts = waiting_facts(run)
    verdict = Verdict(action=Action.SUCCEED)
    if facts:
        verdict = held_back(figures_of(run))
        renamed = run.observations.get("safety.renamed", {}).get("facts", {}).get("renamed", 0)
        most = renamed >= RENAMED_SHARE * int(facts["count"])
        code = code or ("safety.renamed_most" if most else verdict.code)
        verdict = replace(verdict, code=code, facts={**verdict.facts, "renamed": renamed})
    with transaction.atomic():
        apply_verdict(run, verdict)
