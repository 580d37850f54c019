"""Everything that staff may know about one record: its versions, its issues now and earlier, its group, and the
harvests that changed it. No HTTP.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Description
from harvesting.enrichment.differences import Difference, differences
from harvesting.enrichment.wording import field_label
from harvesting.issues.counts import SEVERITY_ORDER
from harvesting.issues.excerpts import Excerpt, excerpt
from harvesting.issues.mending import Change, changes
from harvesting.issues.wording import IssueWording, word_issues
from harvesting.models import (
    AuditEntry,
    EnrichedRecord,
    Harvest,
    RecordIssue,
    RecordVersion,
    ResolvedIssue,
    SourceRecord,
)
from harvesting.records.compression import unpack_payload, unpack_record
from harvesting.records.diffs import Pair, beside, diff
from harvesting.registry.policies import policy_of
from metadata.issue import Issue

MOST_RESOLVED = 50
MOST_ACTIONS = 20


@dataclass(frozen=True, slots=True)
class Run:
    """A harvest that touched the record, and what it did, in words. row: None if the harvest is no longer stored."""

    number: int
    row: Harvest | None
    did: Sequence[str]


@dataclass(frozen=True, slots=True)
class RecordHistory:
    """See `history_of`. payload: as sent last, accepted or refused. accepted: the payload in use, if the last was
    refused.

    changes: how the payload has to be changed for an issue to be resolved, where that is certain.
    enriched: what enrichment rules changed in the record. chosen: the issue whose place is marked. version: the earlier
    version that `beside` compares with its successor.
    """

    described: Description
    issues: Sequence[IssueWording]
    changes: Mapping[Issue, Change]
    chosen: IssueWording | None
    resolved: Sequence[IssueWording]
    payload: Excerpt
    accepted: Excerpt | None
    versions: Sequence[RecordVersion]
    version: RecordVersion | None
    beside: Sequence[Pair]
    book: Book | None
    runs: Sequence[Run]
    actions: Sequence[AuditEntry]
    enriched: "RulesDone | None"


@dataclass(frozen=True, slots=True)
class RulesDone:
    """What enrichment rules changed in a record. row: which ones, of which version, and when. is_needed: the record
    could not be registered without them. differences: label of a field, and its texts before and after.
    """

    row: EnrichedRecord
    is_needed: bool
    differences: Sequence[tuple[str, Difference]]


def history_of(source: SourceRecord, issue: int = 0, version: int = 0) -> RecordHistory:
    """Return the history of a record.

    issue: mark only the place of this issue in the payload. version: compare this earlier version with its successor.
    """
    rows = RecordIssue.objects.filter(source_record=source).select_related("ignored")
    issues = word_issues(sorted(rows, key=lambda row: (SEVERITY_ORDER.get(row.severity, 9), row.code, row.pk)))
    chosen = next((told_issue for told_issue in issues if told_issue.row and told_issue.row.pk == issue), None)
    resolved = list(ResolvedIssue.objects.filter(source_record=source).order_by("-pk")[:MOST_RESOLVED])
    versions = list(source.versions.all())
    found = [one.row.issue for one in issues if isinstance(one.row, RecordIssue)]
    marked = [chosen.row.issue] if chosen and isinstance(chosen.row, RecordIssue) else found
    refused = bytes(source.rejected_payload)
    payload = unpack_payload(refused or source.payload)
    compared = next((stored for stored in versions if stored.pk == version), None)
    return RecordHistory(
        described=catalogue.describe(source),
        issues=issues,
        changes=changes(payload, source.metadata_prefix, policy_of(source.repository), found),
        chosen=chosen,
        resolved=word_issues(resolved),
        payload=excerpt(payload, marked),
        accepted=excerpt(unpack_payload(source.payload)) if refused and source.payload else None,
        versions=versions,
        version=compared,
        beside=_beside(source, versions, compared) if compared else (),
        book=_book(source),
        runs=_runs(source, versions, resolved),
        actions=_actions(source),
        enriched=_enriched(source),
    )


def _enriched(source: SourceRecord) -> RulesDone | None:
    """What the rules changed; None if nothing."""
    row = getattr(source, "enriched", None)
    if row is None or not row.names:
        return None
    packed = bytes(row.original)
    found = differences(unpack_record(packed), catalogue.describe(source).record) if packed else ()
    return RulesDone(row, not packed, [(field_label(one.field), one) for one in found])


def _beside(source: SourceRecord, versions: Sequence[RecordVersion], compared: RecordVersion) -> list[Pair]:
    """Put a version beside the version that replaced it."""
    place = versions.index(compared)
    newer = versions[place - 1].payload if place else source.payload
    return list(beside(diff(unpack_payload(bytes(compared.payload)), unpack_payload(bytes(newer)))))


def _book(source: SourceRecord) -> Book | None:
    member = getattr(source, "member", None)
    return catalogue.books([member.manifestation_id]).get(member.manifestation_id) if member else None


def _runs(source: SourceRecord, versions: Sequence[RecordVersion], resolved: Sequence[ResolvedIssue]) -> list[Run]:
    """The harvests that touched the record, the newest first."""
    did: defaultdict[int, list[str]] = defaultdict(list)
    if source.brought_by:
        did[source.brought_by].append(_("Delivered the version in use"))
    for version in versions:
        if version.brought_by:
            did[version.brought_by].append(_("Delivered an earlier version"))
    for number in sorted({issue.harvest for issue in resolved if issue.harvest}):
        count = sum(issue.harvest == number for issue in resolved)
        did[number].append(_("Issues resolved: %(count)s") % {"count": count})
    if source.last_harvest:
        did[source.last_harvest].append(_("Last harvest that changed the record or its header"))
    rows = Harvest.objects.select_related("feed__repository").in_bulk(did)
    return [Run(number, rows.get(number), did[number]) for number in sorted(did, reverse=True)]


def _actions(source: SourceRecord) -> list[AuditEntry]:
    """The actions of people on the record, the newest first."""
    rows = AuditEntry.objects.filter(repository=source.repository_id, kind="sourcerecord", number=str(source.pk))
    return list(rows.order_by("-pk")[:MOST_ACTIONS])
