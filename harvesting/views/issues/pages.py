"""The pages about issues: an overview of all providers, the issues of one provider by rule, and a filtered list."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, own_repository, repositories_of
from harvesting.issues import counts
from harvesting.issues.by_rule import RuleGroup, overview
from harvesting.issues.filters import STATES, IssueFilterForm, ReasonForm
from harvesting.issues.lists import IGNORED, OPEN, RESOLVED, Page, active_ignored_issues, page
from harvesting.issues.tiers import Quality, quality_of
from harvesting.issues.wording import SEVERITY_WORDS, IssueWording, word_issues, word_rule
from harvesting.models import IssueCount, Repository
from harvesting.views.query_string import changed_query

SHOWN_IGNORINGS = 200
PROVIDERS = 50  # per page


@dataclass(frozen=True, slots=True)
class Line:
    """A provider in the table. issue_count: its newest one. share: records with errors or warnings, in per cent."""

    repository: Repository
    issue_count: IssueCount | None
    share: float
    quality: Quality | None


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule with the number of providers that violate it, and of their records that do."""

    wording: IssueWording
    providers: int
    records: int


@require_safe
@for_librarians
def issues(request: HttpRequest) -> HttpResponse:
    """The user's providers, those with most records at fault first; on the first page also all rules, worst first."""
    own = repositories_of(request.user)
    worst = own.order_by(F("health__with_issues").desc(nulls_last=True), "pk")
    shown = Paginator(worst, PROVIDERS).get_page(request.GET.get("page"))
    rows = list(shown.object_list)
    newest = counts.latest_counts([repository.pk for repository in rows])
    lines = [_line(repository, newest.get(repository.pk)) for repository in rows]
    context = {"providers": lines, "page": shown, "rules": _rules(own) if shown.number == 1 else ()}
    return render(request, "manage/issues/all.html", context)


@require_safe
@for_librarians
def provider_issues(request: HttpRequest, number: str) -> HttpResponse:
    """The issues of one provider's records by rule."""
    repository = own_repository(request, number)
    summary = overview(repository)
    severity = request.GET.get("severity", "")
    severity = severity if severity in SEVERITY_WORDS else ""
    context = {
        "repository": repository,
        "overview": summary,
        "lifts": [(rule, word_rule(rule.code, rule.severity)) for rule in summary.quality.rules]
        if summary.quality
        else (),
        "groups": [group for group in summary.groups if not group.ignored and severity in ("", group.rule.severity)],
        "let_be": [group for group in summary.groups if group.ignored],
        "chips": _chips(summary.groups),
        "wanted": severity,
        "ignorings": active_ignored_issues([repository.pk])[:SHOWN_IGNORINGS],
        "reason": ReasonForm(),
    }
    return render(request, "manage/issues/provider.html", context)


@require_safe
@for_librarians
def issue_list(request: HttpRequest) -> HttpResponse:
    """The list of single issues that match the filters."""
    form = IssueFilterForm(request.GET)
    if not form.is_valid():
        return render(request, "manage/issues/list.html", {"form": form, "found": Page((), None)}, status=400)
    repository, repositories = chosen(request, form)
    issue_query = form.issue_query(repositories)
    found_page = page(issue_query, form.place) if issue_query.state != IGNORED else Page((), None)
    context = {
        "form": form,
        "wanted": issue_query,
        "repository": repository,
        "rule": word_rule(issue_query.code, _severity_of(issue_query.code, found_page)) if issue_query.code else None,
        "found": found_page,
        "wordings": word_issues(found_page.rows),
        "ignorings": active_ignored_issues(issue_query.repositories, issue_query.code)[:SHOWN_IGNORINGS]
        if issue_query.state == IGNORED
        else (),
        "states": [(name, word, changed_query(request, state=name, after="")) for name, word in STATES.items()],
        "next": changed_query(request, after="/".join(map(str, found_page.after))) if found_page.after else "",
        "first": changed_query(request, after="") if form.place else None,
        "files": changed_query(request, after=""),
        "can_act": issue_query.state == OPEN,
        "is_resolved": issue_query.state == RESOLVED,
        "reason": ReasonForm(),
    }
    return render(request, "manage/issues/list.html", context)


def chosen(request: HttpRequest, form: IssueFilterForm) -> tuple[Repository | None, list[int]]:
    """The provider that a valid form names (or None), and the primary keys of all providers that it includes.

    Raises Http404 if it names a provider that the user may not act for.
    """
    number = form.cleaned_data["repository"]
    if number:
        repository = own_repository(request, number)
        return repository, [repository.pk]
    return None, list(repositories_of(request.user).order_by("pk").values_list("pk", flat=True))


def _line(repository: Repository, count: IssueCount | None) -> Line:
    return Line(repository, count, count.share if count else 0.0, quality_of(count) if count else None)


def _rules(own: QuerySet[Repository]) -> list[RuleLine]:
    records: Counter[tuple[str, str]] = Counter()
    providers: Counter[tuple[str, str]] = Counter()
    for code, severity, _issues, count, _ignored in counts.latest_rules(own.values("pk")):
        records[code, severity] += count
        providers[code, severity] += 1
    order = sorted(records, key=lambda key: (counts.SEVERITY_ORDER.get(key[1], 9), -records[key], key))
    return [RuleLine(word_rule(*key), providers[key], records[key]) for key in order]


def _chips(groups: Iterable[RuleGroup]) -> list[tuple[str, Any, int]]:
    """The severities that occur: name, word, number of issues that are not ignored."""
    totals: Counter[str] = Counter()
    for group in groups:
        if not group.ignored:
            totals[group.rule.severity] += group.rule.issues
    return [(str(name), word, totals[name]) for name, word in SEVERITY_WORDS.items() if totals[name]]


def _severity_of(code: str, found_page: Page) -> str:
    return found_page.rows[0].severity if found_page.rows else ""
