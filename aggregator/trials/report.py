"""A report of a trial as people read it: sentences, shares, records as they will look, the place in what was sent."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.presentation.fields import Row, rows
from aggregator.presentation.issues import severity_names
from harvesting.models import Repository
from harvesting.trials.explanation import CARE, GOOD, PLAIN, Choice, Fact, Oddity, choices_of, facts_of, oddities_of
from harvesting.trials.report import Report, RuleGroup, Sampled, SampledIssue, groups_of
from metadata.catalogue import RULES, general_remedy, general_sentence
from metadata.catalogue import remedy as remedy_of
from metadata.catalogue import sentence as sentence_of
from metadata.issue import Issue, Severity
from metadata.xml.spans import Piece, pieces, spans

EXAMPLES = 3
EXCERPT = 160  # characters around a place
PRESSING = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)
GRAVE = (Severity.RECORD_ERROR, Severity.ITEM_ERROR)


@dataclass(frozen=True, slots=True)
class ReportedIssue:
    """A finding with its words. number: its place among the findings of the record, from 1."""

    number: int
    finding: SampledIssue
    severity: str
    sentence: str
    remedy: str
    known: bool
    marked: bool


@dataclass(frozen=True, slots=True)
class Example:
    """A finding in one record of the sample, with the piece of what was sent that it speaks of."""

    record: int
    title: str
    said: ReportedIssue
    excerpt: list[Piece]


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one rule. share: of the records of the sample, in percent."""

    found: RuleGroup
    severity: str
    sentence: str
    remedy: str
    known: bool
    share: int
    examples: list[Example]


@dataclass(frozen=True, slots=True)
class Line:
    """A record in the list of the sample. worst: the severity of its worst finding, "" for none."""

    number: int
    title: str
    identifier: str
    registered: bool
    findings: int
    worst: str


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report."""

    report: Report
    mood: str
    verdict: str
    profile: str
    facts: list[Fact]
    choices: list[Choice]
    oddities: list[Oddity]
    groups: list[Group]
    lines: list[Line]

    @property
    def pressing(self) -> list[Group]:
        """What a provider should see to."""
        return [each for each in self.groups if each.found.severity in PRESSING]

    @property
    def others(self) -> list[Group]:
        """What was put in order or is only mentioned."""
        return [each for each in self.groups if each.found.severity not in PRESSING]


@dataclass(frozen=True, slots=True)
class RecordPage:
    """One record of the sample: as it will look, what was found, what was sent with the places marked."""

    number: int
    sampled: Sampled
    title: str
    rows: list[Row]
    said: list[ReportedIssue]
    changed: list[ReportedIssue]
    payload: list[Piece]
    chosen: ReportedIssue | None


def page_of(report: Report) -> Page:
    """The report in the language of the page. No query."""
    mood, verdict = _verdict(report)
    return Page(
        report=report,
        mood=mood,
        verdict=verdict,
        profile=str(Repository.Profile(report.profile).label),
        facts=facts_of(report),
        choices=choices_of(report),
        oddities=oddities_of(report),
        groups=[_group(each, report) for each in groups_of(report)],
        lines=[_line(number, each) for number, each in enumerate(report.records, 1)],
    )


def record_page(report: Report, number: int, finding: int = 0) -> RecordPage | None:
    """One record, number from 1; None if the sample has no such. finding: mark the place of this one only."""
    if not 0 < number <= len(report.records):
        return None
    sampled = report.records[number - 1]
    said = [_said(place, each, sampled) for place, each in enumerate(sampled.findings, 1)]
    chosen = said[finding - 1] if 0 < finding <= len(said) else None
    return RecordPage(
        number=number,
        sampled=sampled,
        title=_title(sampled, number),
        rows=rows(sampled.record, reverse("search")) if sampled.record else [],
        said=said,
        changed=[each for each in said if each.finding.result],
        payload=_payload(sampled, [chosen] if chosen else said),
        chosen=chosen,
    )


def as_json(report: Report) -> dict[str, Any]:
    """The same for programs; sentences in the language of the page."""
    page = page_of(report)
    return {
        "base_url": report.base_url,
        "protocol": report.protocol,
        "prefix": report.prefix,
        "profile": report.profile,
        "schemas": report.schemas,
        "usable": report.usable,
        "received": report.received,
        "registered": report.registered,
        "deleted": report.deleted,
        "complete_list_size": report.size,
        "verdict": page.verdict,
        "provider": [{"label": each.label, "value": each.value, "meaning": each.meaning} for each in page.facts],
        "formats": [{"prefix": each.prefix, "readable": each.readable, "best": each.best} for each in page.choices],
        "sets": [{"spec": each.spec, "name": each.name} for each in report.sets],
        "oddities": [{"message": each.what, "remedy": each.remedy, "count": each.count} for each in page.oddities],
        "rules": [
            {
                "code": each.found.code,
                "severity": each.found.severity,
                "count": each.found.count,
                "records": each.found.records,
                "share": each.share,
                "message": each.sentence,
                "remedy": each.remedy,
            }
            for each in page.groups
        ],
        "records": [_record_json(number, each) for number, each in enumerate(report.records, 1)],
    }


def _record_json(number: int, sampled: Sampled) -> dict[str, Any]:
    return {
        "identifier": sampled.identifier,
        "registered": sampled.record is not None,
        "prefix": sampled.prefix,
        "title": sampled.record.title if sampled.record else "",
        "issues": [
            {
                "code": each.finding.code,
                "severity": each.finding.severity,
                "field": each.finding.field,
                "value": each.finding.value,
                "result": each.finding.result,
                "message": each.sentence,
            }
            for each in (_said(place, one, sampled) for place, one in enumerate(sampled.findings, 1))
        ],
    }


def _verdict(report: Report) -> tuple[str, str]:
    """In one sentence: can this be harvested, and how well."""
    if not report.usable:
        return CARE, _("Nothing could be harvested in this way. What stands in the way is said below.")
    if not report.records:
        return CARE, _("No record came, so nothing could be checked.")
    refused = len(report.records) - report.registered
    if refused:
        counts = {"refused": refused, "all": len(report.records)}
        return CARE, _("%(refused)s of %(all)s records would not be registered as they are.") % counts
    if any(report.severities[each] for each in (*GRAVE, Severity.WARNING)):
        return PLAIN, _("All records can be registered. Some have findings that are worth mending.")
    return GOOD, _("All records can be registered, and nothing is wrong with them.")


def _group(found: RuleGroup, report: Report) -> Group:
    language = get_language() or ""
    places: dict[int, SampledIssue] = {}
    for place, finding in found.places:
        places.setdefault(place, finding)
    place, finding = found.places[0]
    alike = _said(0, finding, report.records[place]) if all(each == finding for _at, each in found.places) else None
    return Group(
        found=found,
        severity=severity_names().get(found.severity, found.severity),
        sentence=alike.sentence if alike else general_sentence(found.code, language),
        remedy=alike.remedy if alike else general_remedy(found.code, language),
        known=found.code in RULES,
        share=round(100 * found.records / len(report.records)),
        examples=[_example(report, place, each) for place, each in list(places.items())[:EXAMPLES]],
    )


def _example(report: Report, place: int, finding: SampledIssue) -> Example:
    sampled = report.records[place]
    said = _said(sampled.findings.index(finding) + 1, finding, sampled)
    return Example(place + 1, _title(sampled, place + 1), said, _excerpt(sampled.payload, finding.issue))


def _excerpt(text: str, issue: Issue) -> list[Piece]:
    """What stands around the first place; nothing where it is not found."""
    found = spans(text, issue)
    if not found:
        return []
    first = found[0]
    start, end = max(0, first.start - EXCERPT // 4), min(len(text), first.end + EXCERPT // 4)
    start = max(start, text.rfind("<", start, first.start))  # from the beginning of a tag, if there is one
    inside = text[first.start : first.end]
    shown = inside if len(inside) <= 2 * EXCERPT else f"{inside[: 2 * EXCERPT]}…"
    around = (Piece(text[start : first.start], False), Piece(shown, True), Piece(text[first.end : end], False))
    return [each for each in around if each.text]


def _said(number: int, finding: SampledIssue, sampled: Sampled) -> ReportedIssue:
    language, issue = get_language() or "", finding.issue
    return ReportedIssue(
        number=number,
        finding=finding,
        severity=severity_names().get(finding.severity, finding.severity),
        sentence=sentence_of(issue, language, Severity(finding.severity)),
        remedy=remedy_of(issue, language),
        known=finding.code in RULES,
        marked=bool(spans(sampled.payload, issue)),
    )


def _payload(sampled: Sampled, said: list[ReportedIssue]) -> list[Piece]:
    """What was sent, with the places of these findings marked; where two meet, the first found stands."""
    if len(said) == 1:
        return pieces(sampled.payload, said[0].finding.issue)
    text, at, found = sampled.payload, 0, []
    for span in sorted({span for each in said for span in spans(text, each.finding.issue)}):
        if span.start < at:
            continue
        found += [Piece(text[at : span.start], False), Piece(text[span.start : span.end], True)]
        at = span.end
    return [each for each in (*found, Piece(text[at:], False)) if each.text]


def _line(number: int, sampled: Sampled) -> Line:
    worst = sampled.findings[0].severity if sampled.findings else ""
    title = _title(sampled, number)
    return Line(number, title, sampled.identifier, sampled.record is not None, len(sampled.findings), worst)


def _title(sampled: Sampled, number: int) -> str:
    title = sampled.record.title if sampled.record else ""
    return title or sampled.identifier or _("Record %(number)s") % {"number": number}
