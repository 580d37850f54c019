"""The report of a trial: what an address offers, a sample as it would be read, what was found. Values only; no words.

It is kept in a column for some days and shown in two languages, so it holds codes and facts, and no sentence.
"""

from collections import Counter
from collections.abc import Buffer, Iterable
from dataclasses import dataclass

import msgspec

from harvesting.records.compression import pack_payload, unpack_payload
from harvesting.records.sanitising import storable
from harvesting.trials.probe import KEPT, LIST, Probe
from harvesting.types import Identity, MetadataFormat, OaiSet
from metadata.issue import Issue, Severity
from metadata.policy import Policy
from metadata.record import BibliographicRecord

MOST_SETS = 500
MOST_FINDINGS = 200  # of one record
LONGEST = 1000  # characters of a value


class SampledIssue(msgspec.Struct, frozen=True, kw_only=True):
    """An issue and what it counts as by the policy of the trial."""

    code: str
    severity: str
    field: str = ""
    value: str = ""
    result: str = ""

    @property
    def issue(self) -> Issue:
        return Issue(code=self.code, field=self.field, value=self.value, result=self.result)


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """One record of the sample. record: None where it would not be registered. cut: the payload goes on."""

    identifier: str
    prefix: str = ""
    record: BibliographicRecord | None = None
    payload: str = ""
    cut: bool = False
    findings: tuple[SampledIssue, ...] = ()


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """Something about the provider rather than a record: a refused question (verb), or a notice."""

    code: str
    facts: dict[str, str | int]
    verb: str = ""
    count: int = 1


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All that a trial brought. size: of the whole list, None where the provider does not say."""

    base_url: str = ""
    protocol: str = ""
    prefix: str = ""
    profile: str = "ndl"
    schemas: bool = False
    identity: Identity | None = None
    formats: tuple[MetadataFormat, ...] = ()
    sets: tuple[OaiSet, ...] = ()
    more_sets: int = 0
    told: tuple[Told, ...] = ()
    usable: bool = True
    hub: bool = False
    received: int = 0
    deleted: int = 0
    size: int | None = None
    records: tuple[Sampled, ...] = ()

    @property
    def registered(self) -> int:
        """How many of the sample would be registered."""
        return sum(each.record is not None for each in self.records)

    @property
    def severities(self) -> Counter[str]:
        return Counter(finding.severity for each in self.records for finding in each.findings)


@dataclass(slots=True)
class RuleGroup:
    """All findings of one rule: how often, in how many records of the sample, and where. places: (record, finding)."""

    code: str
    severity: str
    count: int
    records: int
    places: list[tuple[int, SampledIssue]]


def report_of(found: Probe) -> Report:
    """What a probe found, as it is kept."""
    policy = found.policy or Policy()
    errors = tuple(Told(code=error.code, facts=dict(error.facts), verb=verb) for verb, error in found.errors.items())
    observations = tuple(
        Told(code=code, facts=found.facts[code], count=number) for code, number in found.observations.items()
    )
    rows = zip(found.readings, found.payloads, found.written_in, strict=True)
    return Report(
        base_url=found.base_url,
        protocol=found.protocol,
        prefix=found.prefix,
        profile=str(policy.profile),
        schemas=bool(policy.schemas),
        identity=found.identity,
        formats=found.formats[:MOST_SETS],
        sets=found.sets[:MOST_SETS],
        more_sets=max(0, len(found.sets) - MOST_SETS),
        told=errors + observations,
        usable=LIST not in found.errors,
        hub=bool(found.memory.get("hub") and found.memory.get("topic")),
        received=found.received,
        deleted=found.deleted,
        size=found.received if found.complete else found.complete_list_size,
        records=tuple(
            Sampled(
                identifier=storable(identifier)[:LONGEST],
                prefix=prefix,
                record=reading.record,
                payload=text_of(payload),
                cut=len(payload) == KEPT,
                findings=findings_of(reading.issues, policy),
            )
            for (identifier, reading), payload, prefix in rows
        ),
    )


def findings_of(issues: Iterable[Issue], policy: Policy) -> tuple[SampledIssue, ...]:
    """The issues that are told, with what they count as; the worst first, MOST_FINDINGS at most."""
    ranked = [(severity, each) for each in issues if (severity := policy.severity(each.code)) is not None]
    ranked.sort(key=lambda pair: (_RANK[pair[0]], pair[1].code))
    return tuple(
        SampledIssue(
            code=each.code,
            severity=str(severity),
            field=storable(each.field)[:LONGEST],
            value=storable(each.value)[:LONGEST],
            result=storable(each.result)[:LONGEST],
        )
        for severity, each in ranked[:MOST_FINDINGS]
    )


def groups_of(report: Report) -> list[RuleGroup]:
    """The findings by rule, the worst and most frequent first."""
    groups: dict[tuple[str, str], RuleGroup] = {}
    for place, sampled in enumerate(report.records):
        for finding in sampled.findings:
            key = (finding.code, finding.severity)
            group = groups.setdefault(key, RuleGroup(finding.code, finding.severity, 0, 0, []))
            group.records += not group.places or group.places[-1][0] != place
            group.count += 1
            group.places.append((place, finding))
    return sorted(groups.values(), key=lambda each: (_RANK[Severity(each.severity)], -each.records, each.code))


def text_of(payload: bytes) -> str:
    """A payload as people read it, whatever is wrong with its bytes."""
    return storable(payload.decode("utf-8-sig", "replace"))


def pack_report(report: Report) -> bytes:
    """A report as a column holds it."""
    return pack_payload(msgspec.msgpack.encode(report))


def unpack_report(data: Buffer) -> Report:
    """The inverse of `pack_report`; what an earlier version wrote and this one does not read is an empty report."""
    try:
        return msgspec.msgpack.decode(unpack_payload(data), type=Report) if data else Report()
    except msgspec.DecodeError:
        return Report()


_RANK = {severity: place for place, severity in enumerate(Severity)}
