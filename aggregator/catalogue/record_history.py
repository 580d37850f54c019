"""All that staff may know of one record: versions, findings now and earlier, its group, the runs behind it. No HTTP."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Description
from harvesting.issues.counts import ORDER
from harvesting.issues.excerpts import Shown, shown
from harvesting.issues.wording import Told, told
from harvesting.models import AuditEntry, Harvest, RecordIssue, RecordVersion, ResolvedIssue, SourceRecord
from harvesting.records.compression import unpack_payload
from harvesting.records.diffs import Line, diff

MOST_RESOLVED = 50
MOST_COMPANIONS = 20
MOST_DEEDS = 20


@dataclass(frozen=True, slots=True)
class Run:
    """A harvest that touched the record, and what it did, in words. row: None if the run is forgotten already."""

    number: int
    row: Harvest | None
    did: Sequence[str]


@dataclass(frozen=True, slots=True)
class Life:
    """See `life_of`. payload: as sent last, accepted or refused; version: the earlier one that is compared."""

    described: Description
    findings: Sequence[Told]
    chosen: Told | None
    resolved: Sequence[Told]
    payload: Shown
    accepted: Shown | None
    versions: Sequence[RecordVersion]
    version: RecordVersion | None
    diff: Sequence[Line]
    book: Book | None
    runs: Sequence[Run]
    deeds: Sequence[AuditEntry]


def life_of(source: SourceRecord, issue: int = 0, version: int = 0) -> Life:
    """issue: mark the place of this finding only. version: compare this earlier one with the one that followed it."""
    rows = RecordIssue.objects.filter(source_record=source).select_related("ignored")
    findings = told(sorted(rows, key=lambda row: (ORDER.get(row.severity, 9), row.code, row.pk)))
    chosen = next((each for each in findings if each.row and each.row.pk == issue), None)
    resolved = list(ResolvedIssue.objects.filter(source_record=source).order_by("-pk")[:MOST_RESOLVED])
    versions = list(source.versions.all())
    marks = [each.row.issue for each in ([chosen] if chosen else findings) if isinstance(each.row, RecordIssue)]
    refused = bytes(source.rejected_payload)
    compared = next((each for each in versions if each.pk == version), None)
    return Life(
        described=catalogue.describe(source),
        findings=findings,
        chosen=chosen,
        resolved=told(resolved),
        payload=shown(unpack_payload(refused or source.payload), marks),
        accepted=shown(unpack_payload(source.payload)) if refused and source.payload else None,
        versions=versions,
        version=compared,
        diff=_diff(source, versions, compared) if compared else (),
        book=_book(source),
        runs=_runs(source, versions, resolved),
        deeds=_deeds(source),
    )


def _diff(source: SourceRecord, versions: Sequence[RecordVersion], compared: RecordVersion) -> list[Line]:
    """Against the version that took its place."""
    place = versions.index(compared)
    newer = versions[place - 1].payload if place else source.payload
    return diff(unpack_payload(bytes(compared.payload)), unpack_payload(bytes(newer)))


def _book(source: SourceRecord) -> Book | None:
    member = getattr(source, "member", None)
    return catalogue.books([member.manifestation_id]).get(member.manifestation_id) if member else None


def _runs(source: SourceRecord, versions: Sequence[RecordVersion], resolved: Sequence[ResolvedIssue]) -> list[Run]:
    """The newest first."""
    did: defaultdict[int, list[str]] = defaultdict(list)
    if source.brought_by:
        did[source.brought_by].append(_("brought the version in use"))
    for each in versions:
        if each.brought_by:
            did[each.brought_by].append(_("brought an earlier version"))
    for number in sorted({each.harvest for each in resolved if each.harvest}):
        count = sum(each.harvest == number for each in resolved)
        did[number].append(_("resolved findings: %(count)s") % {"count": count})
    if source.last_harvest:
        did[source.last_harvest].append(_("last to have it in its list, or to change it"))
    rows = Harvest.objects.select_related("feed__repository").in_bulk(did)
    return [Run(number, rows.get(number), did[number]) for number in sorted(did, reverse=True)]


def _deeds(source: SourceRecord) -> list[AuditEntry]:
    """What people did to it, the newest first."""
    rows = AuditEntry.objects.filter(repository=source.repository_id, kind="sourcerecord", number=str(source.pk))
    return list(rows.order_by("-pk")[:MOST_DEEDS])
