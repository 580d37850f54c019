"""The report of a trial: what an address offers, a sample as it would be read, the issues found. Values only.

Reports are stored in a column for some days and shown in two languages, so they contain codes and facts, no sentences.
The field names are part of the stored form.
"""

from collections import Counter
from collections.abc import Buffer, Iterable
from dataclasses import dataclass

import msgspec

from harvesting.records.compression import pack_payload, unpack_payload
from harvesting.records.sanitising import storable
from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import TRANSPORTS, UNKNOWN
from harvesting.trials.probe import KEPT, LIST, Probe
from harvesting.types import Identity, MetadataFormat, OaiSet
from metadata.issue import Issue, Severity
from metadata.policy import Policy
from metadata.record import BibliographicRecord

MOST_SETS = 500
MOST_ISSUES = 200  # of one record
LONGEST = 1000  # characters of a value


class SampledIssue(msgspec.Struct, frozen=True, kw_only=True):
    """An issue with its severity by the policy of the trial."""

    code: str
    severity: str
    field: str = ""
    value: str = ""
    result: str = ""

    @property
    def issue(self) -> Issue:
        return Issue(code=self.code, field=self.field, value=self.value, result=self.result)


class SampledRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the sample. record: None if it would not be registered. cut: the payload is longer than stored."""

    identifier: str
    prefix: str = ""
    record: BibliographicRecord | None = None
    payload: str = ""
    cut: bool = False
    findings: tuple[SampledIssue, ...] = ()


class ReportedObservation(msgspec.Struct, frozen=True, kw_only=True):
    """Something about the provider rather than a record: a refused request (verb), or an observation (verb "")."""

    code: str
    facts: dict[str, str | int]
    verb: str = ""
    count: int = 1


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result of a trial. size: of the whole list, None if the provider does not say."""

    base_url: str = ""
    protocol: str = ""
    prefix: str = ""
    profile: str = "ndl"
    schemas: bool = False
    identity: Identity | None = None
    formats: tuple[MetadataFormat, ...] = ()
    sets: tuple[OaiSet, ...] = ()
    more_sets: int = 0
    reported: tuple[ReportedObservation, ...] = ()
    usable: bool = True
    hub: bool = False
    received: int = 0
    deleted: int = 0
    size: int | None = None
    records: tuple[SampledRecord, ...] = ()

    @property
    def kind(self) -> TransportKind:
        """What the transport of the protocol can."""
        return TRANSPORTS.get(self.protocol, UNKNOWN)

    @property
    def registered(self) -> int:
        """The number of sampled records that would be registered."""
        return sum(sampled.record is not None for sampled in self.records)

    @property
    def severities(self) -> Counter[str]:
        return Counter(issue.severity for sampled in self.records for issue in sampled.findings)


@dataclass(slots=True)
class RuleGroup:
    """All issues of one rule: how many, in how many sampled records, and where. places: (index of record, issue)."""

    code: str
    severity: str
    count: int
    records: int
    places: list[tuple[int, SampledIssue]]


def report_of(result: Probe) -> Report:
    """Return the result of a probe as a report."""
    policy = result.policy or Policy()
    errors = tuple(
        ReportedObservation(code=error.code, facts=dict(error.facts), verb=verb)
        for verb, error in result.errors.items()
    )
    observations = tuple(
        ReportedObservation(code=code, facts=result.facts[code], count=number)
        for code, number in result.observations.items()
    )
    rows = zip(result.readings, result.payloads, result.written_in, strict=True)
    return Report(
        base_url=result.base_url,
        protocol=result.protocol,
        prefix=result.prefix,
        profile=str(policy.profile),
        schemas=bool(policy.schemas),
        identity=result.identity,
        formats=result.formats[:MOST_SETS],
        sets=result.sets[:MOST_SETS],
        more_sets=max(0, len(result.sets) - MOST_SETS),
        reported=errors + observations,
        usable=LIST not in result.errors,
        hub=bool(result.memory.get("hub") and result.memory.get("topic")),
        received=result.received,
        deleted=result.deleted,
        size=result.received if result.complete else result.complete_list_size,
        records=tuple(
            SampledRecord(
                identifier=storable(identifier)[:LONGEST],
                prefix=prefix,
                record=reading.record,
                payload=text_of(payload),
                cut=len(payload) == KEPT,
                findings=sampled_issues(reading.issues, policy),
            )
            for (identifier, reading), payload, prefix in rows
        ),
    )


def sampled_issues(issues: Iterable[Issue], policy: Policy) -> tuple[SampledIssue, ...]:
    """The issues that the policy reports, with their severities; the worst first, MOST_ISSUES at most."""
    ranked = [(severity, issue) for issue in issues if (severity := policy.severity(issue.code)) is not None]
    ranked.sort(key=lambda pair: (_RANK[pair[0]], pair[1].code))
    return tuple(
        SampledIssue(
            code=issue.code,
            severity=str(severity),
            field=storable(issue.field)[:LONGEST],
            value=storable(issue.value)[:LONGEST],
            result=storable(issue.result)[:LONGEST],
        )
        for severity, issue in ranked[:MOST_ISSUES]
    )


def groups_of(report: Report) -> list[RuleGroup]:
    """The issues of a report by rule, the worst and most frequent first."""
    groups: dict[tuple[str, str], RuleGroup] = {}
    for place, sampled in enumerate(report.records):
        for issue in sampled.findings:
            key = (issue.code, issue.severity)
            group = groups.setdefault(key, RuleGroup(issue.code, issue.severity, 0, 0, []))
            group.records += not group.places or group.places[-1][0] != place
            group.count += 1
            group.places.append((place, issue))
    return sorted(groups.values(), key=lambda group: (_RANK[Severity(group.severity)], -group.records, group.code))


def text_of(payload: bytes) -> str:
    """A payload as text; bytes that are not UTF-8 are replaced."""
    return storable(payload.decode("utf-8-sig", "replace"))


def pack_report(report: Report) -> bytes:
    """Return a report as bytes for a column."""
    return pack_payload(msgspec.msgpack.encode(report))


def unpack_report(data: Buffer) -> Report:
    """The inverse of `pack_report`. A report of an earlier version that cannot be read becomes an empty report."""
    try:
        return msgspec.msgpack.decode(unpack_payload(data), type=Report) if data else Report()
    except msgspec.DecodeError:
        return Report()


_RANK = {severity: place for place, severity in enumerate(Severity)}
