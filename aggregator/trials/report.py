"""The report of a trial as people read it: sentences, shares, records as they will look, places in the payload."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from aggregator.presentation.fields import Row, source_rows
from aggregator.presentation.issues import severity_names
from aggregator.trials.doi import DoiVerdict, ThesisVerdict, doi_summary, thesis_of, verdict_of
from harvesting.models import Repository
from harvesting.trials.explanation import CARE, GOOD, PLAIN, Choice, Fact, Oddity, choices_of, facts_of, oddities_of
from harvesting.trials.report import Report, RuleGroup, SampledIssue, SampledRecord, groups_of
from metadata.catalogue import RULES, general_remedy, general_sentence
from metadata.catalogue import remedy as remedy_of
from metadata.catalogue import sentence as sentence_of
from metadata.issue import Issue, Severity
from metadata.xml.spans import Piece, pieces, spans

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

EXAMPLES = 3
EXCERPT = 160  # characters of the payload around a place
PRESSING = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)
GRAVE = (Severity.RECORD_ERROR, Severity.ITEM_ERROR)


@dataclass(frozen=True, slots=True)
class ReportedIssue:
    """An issue with its sentence and remedy. number: its place among the issues of the record, from 1.

    known: this version still has its rule. marked: its place in the payload was found.
    """

    number: int
    issue: SampledIssue
    severity: str
    sentence: str
    remedy: str
    known: bool
    marked: bool


@dataclass(frozen=True, slots=True)
class Example:
    """An issue of one record of the sample, with the piece of the payload that it is about."""

    record: int
    title: str
    reported: ReportedIssue
    excerpt: list[Piece]


@dataclass(frozen=True, slots=True)
class Group:
    """All issues of one rule. known: this version still has the rule. share: percentage of records with an issue."""

    found: RuleGroup
    severity: str
    sentence: str
    remedy: str
    known: bool
    share: int
    examples: list[Example]


@dataclass(frozen=True, slots=True)
class Line:
    """A record in the list of the sample. issues: their number. worst: severity of the worst, "" for none."""

    number: int
    title: str
    identifier: str
    registered: bool
    issues: int
    worst: str


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report. mood: GOOD, PLAIN or CARE, by which the verdict is styled. dois: how many can be registered."""

    report: Report
    mood: str
    verdict: str
    profile: str
    facts: list[Fact]
    choices: list[Choice]
    oddities: list[Oddity]
    groups: list[Group]
    lines: list[Line]
    dois: str = ""

    @property
    def pressing(self) -> list[Group]:
        """The issues that the provider should correct."""
        return [group for group in self.groups if group.found.severity in PRESSING]

    @property
    def others(self) -> list[Group]:
        """The issues that were normalised or are for information only."""
        return [group for group in self.groups if group.found.severity not in PRESSING]


@dataclass(frozen=True, slots=True)
class RecordPage:
    """One record of the sample: as it will look, its issues, and its payload with the places marked."""

    number: int
    sampled: SampledRecord
    title: str
    rows: list[Row]
    issues: list[ReportedIssue]
    changed: list[ReportedIssue]
    payload: list[Piece]
    chosen: ReportedIssue | None
    doi: DoiVerdict | None
    thesis: ThesisVerdict | None


def page_of(report: Report) -> Page:
    """Return the report in the language of the page. No query."""
    mood, verdict = _verdict(report)
    return Page(
        report=report,
        mood=mood,
        verdict=verdict,
        profile=str(Repository.Profile(report.profile).label),
        facts=facts_of(report),
        choices=choices_of(report),
        oddities=oddities_of(report),
        groups=[_group(rule_group, report) for rule_group in groups_of(report)],
        lines=[_line(number, sampled) for number, sampled in enumerate(report.records, 1)],
        dois=doi_summary(report.records),
    )


def record_page(report: Report, number: int, issue: int = 0) -> RecordPage | None:
    """Return one record of the sample (number from 1), or None. issue: mark the place of this issue only."""
    if not 0 < number <= len(report.records):
        return None
    sampled = report.records[number - 1]
    issues = [_reported(place, found, sampled) for place, found in enumerate(sampled.findings, 1)]
    chosen = issues[issue - 1] if 0 < issue <= len(issues) else None
    return RecordPage(
        number=number,
        sampled=sampled,
        title=_title(sampled, number),
        rows=source_rows(sampled.record, reverse("search")) if sampled.record else [],
        issues=issues,
        changed=[reported for reported in issues if reported.issue.result],
        payload=_payload(sampled, [chosen] if chosen else issues),
        chosen=chosen,
        doi=verdict_of(sampled),
        thesis=thesis_of(sampled),
    )


def as_json(report: Report) -> dict[str, Any]:
    """Return the report for programs; sentences in the language of the page."""
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
        "provider": [{"label": fact.label, "value": fact.value, "meaning": fact.meaning} for fact in page.facts],
        "formats": [
            {"prefix": choice.prefix, "readable": choice.readable, "best": choice.best} for choice in page.choices
        ],
        "sets": [{"spec": part.spec, "name": part.name} for part in report.sets],
        "oddities": [
            {"message": oddity.what, "remedy": oddity.remedy, "count": oddity.count} for oddity in page.oddities
        ],
        "rules": [
            {
                "code": group.found.code,
                "severity": group.found.severity,
                "count": group.found.count,
                "records": group.found.records,
                "share": group.share,
                "message": group.sentence,
                "remedy": group.remedy,
            }
            for group in page.groups
        ],
        "records": [_record_json(number, sampled) for number, sampled in enumerate(report.records, 1)],
    }


def _record_json(number: int, sampled: SampledRecord) -> dict[str, Any]:
    return {
        "identifier": sampled.identifier,
        "registered": sampled.record is not None,
        "doi": _doi_json(verdict_of(sampled)),
        "thesis": _thesis_json(thesis_of(sampled)),
        "prefix": sampled.prefix,
        "title": sampled.record.title if sampled.record else "",
        "issues": [
            {
                "code": reported.issue.code,
                "severity": reported.issue.severity,
                "field": reported.issue.field,
                "value": reported.issue.value,
                "result": reported.issue.result,
                "message": reported.sentence,
            }
            for reported in (_reported(place, issue, sampled) for place, issue in enumerate(sampled.findings, 1))
        ],
    }


def _doi_json(verdict: DoiVerdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {"agency": verdict.agency, "doi": verdict.doi, "missing": verdict.missing, "message": verdict.sentence}


class _Verdicts(NamedTuple):
    """The verdicts about a source, each one sentence."""

    unusable: "StrOrPromise"
    empty: "StrOrPromise"
    refused: "StrOrPromise"
    with_issues: "StrOrPromise"
    clean: "StrOrPromise"


_HARVESTED = _Verdicts(
    gettext_lazy("Nothing can be harvested as it is. The reasons are given below."),
    gettext_lazy("No records were received, so nothing could be checked."),
    gettext_lazy("%(refused)s of %(all)s records would not be registered in their present form."),
    gettext_lazy("All records can be registered. Some have issues worth correcting."),
    gettext_lazy("All records can be registered, and no issues were found."),
)
_LIVE = _Verdicts(
    gettext_lazy("It cannot be searched as it is. The reasons are given below."),
    gettext_lazy("The test search found no records, so nothing could be checked."),
    gettext_lazy("%(refused)s of %(all)s hits cannot be read and would not be shown."),
    gettext_lazy("All hits can be shown. Some have issues worth correcting."),
    gettext_lazy("All hits can be shown, and no issues were found."),
)


def _verdict(report: Report) -> tuple[str, str]:
    """Return the mood (see `Page`) and the verdict: whether this can be harvested or searched live, and how well."""
    verdicts = _LIVE if report.kind.is_live else _HARVESTED
    if not report.usable:
        return CARE, str(verdicts.unusable)
    if not report.records:
        return CARE, str(verdicts.empty)
    refused = len(report.records) - report.registered
    if refused:
        return CARE, str(verdicts.refused) % {"refused": refused, "all": len(report.records)}
    if any(report.severities[severity] for severity in (*GRAVE, Severity.WARNING)):
        return PLAIN, str(verdicts.with_issues)
    return GOOD, str(verdicts.clean)


def _group(found: RuleGroup, report: Report) -> Group:
    language = get_language() or ""
    places: dict[int, SampledIssue] = {}
    for place, issue in found.places:
        places.setdefault(place, issue)
    place, first = found.places[0]
    alike = _reported(0, first, report.records[place]) if all(issue == first for _at, issue in found.places) else None
    return Group(
        found=found,
        severity=severity_names().get(found.severity, found.severity),
        sentence=alike.sentence if alike else general_sentence(found.code, language),
        remedy=alike.remedy if alike else general_remedy(found.code, language),
        known=found.code in RULES,
        share=round(100 * found.records / len(report.records)),
        examples=[_example(report, place, issue) for place, issue in list(places.items())[:EXAMPLES]],
    )


def _example(report: Report, place: int, issue: SampledIssue) -> Example:
    sampled = report.records[place]
    reported = _reported(sampled.findings.index(issue) + 1, issue, sampled)
    return Example(place + 1, _title(sampled, place + 1), reported, _excerpt(sampled.payload, issue.issue))


def _excerpt(text: str, issue: Issue) -> list[Piece]:
    """Return the text around the first place that the issue is about; [] if it is not found."""
    found = spans(text, issue)
    if not found:
        return []
    first = found[0]
    start, end = max(0, first.start - EXCERPT // 4), min(len(text), first.end + EXCERPT // 4)
    start = max(start, text.rfind("<", start, first.start))  # from the beginning of a tag, if there is one
    inside = text[first.start : first.end]
    shown = inside if len(inside) <= 2 * EXCERPT else f"{inside[: 2 * EXCERPT]}…"
    around = (Piece(text[start : first.start], False), Piece(shown, True), Piece(text[first.end : end], False))
    return [piece for piece in around if piece.text]


def _reported(number: int, issue: SampledIssue, sampled: SampledRecord) -> ReportedIssue:
    language, value = get_language() or "", issue.issue
    return ReportedIssue(
        number=number,
        issue=issue,
        severity=severity_names().get(issue.severity, issue.severity),
        sentence=sentence_of(value, language, Severity(issue.severity)),
        remedy=remedy_of(value, language),
        known=issue.code in RULES,
        marked=bool(spans(sampled.payload, value)),
    )


def _payload(sampled: SampledRecord, issues: list[ReportedIssue]) -> list[Piece]:
    """Return the payload with the places of these issues marked; of two places that overlap only the first."""
    if len(issues) == 1:
        return pieces(sampled.payload, issues[0].issue.issue)
    text, at, found = sampled.payload, 0, []
    for span in sorted({span for reported in issues for span in spans(text, reported.issue.issue)}):
        if span.start < at:
            continue
        found += [Piece(text[at : span.start], False), Piece(text[span.start : span.end], True)]
        at = span.end
    return [piece for piece in (*found, Piece(text[at:], False)) if piece.text]


def _line(number: int, sampled: SampledRecord) -> Line:
    worst = sampled.findings[0].severity if sampled.findings else ""
    title = _title(sampled, number)
    return Line(number, title, sampled.identifier, sampled.record is not None, len(sampled.findings), worst)


def _title(sampled: SampledRecord, number: int) -> str:
    title = sampled.record.title if sampled.record else ""
    return title or sampled.identifier or _("Record %(number)s") % {"number": number}


def _thesis_json(verdict: ThesisVerdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {"missing": [issue.code for issue in verdict.issues], "message": verdict.sentence}
