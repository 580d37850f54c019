"""The pages about findings: of all own providers, of one by rule, one by one. Knows HTTP; counts are in `stock`."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, own_repository, repositories_of
from harvesting.issues import counts as stock
from harvesting.issues.by_rule import Group, overview, share
from harvesting.issues.filters import STATES, IssueFilterForm, ReasonForm
from harvesting.issues.lists import IGNORED, OPEN, RESOLVED, Page, ignorings, page
from harvesting.issues.wording import SEVERITY_WORDS, Told, told, told_of_rule
from harvesting.models import IssueCount, Repository

SHOWN_IGNORINGS = 200
PROVIDERS = 50  # of a page


@dataclass(frozen=True, slots=True)
class Line:
    """A provider in the table. share: records at fault, in per cent."""

    repository: Repository
    stock: IssueCount | None
    share: float


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule over all providers: how many of them, how many of their records."""

    told: Told
    providers: int
    records: int


@require_safe
@for_librarians
def issues(request: HttpRequest) -> HttpResponse:
    """All own providers, those with most at fault first; and all rules, the worst first."""
    own = repositories_of(request.user)
    found = stock.latest(own.values_list("pk", flat=True))
    worst = sorted(found, key=lambda pk: (-found[pk].faulty, pk))
    pages = Paginator(worst + list(own.exclude(pk__in=found).values_list("pk", flat=True)), PROVIDERS)
    shown = pages.get_page(request.GET.get("page"))
    rows = own.in_bulk(list(shown.object_list))
    lines = [_line(rows[pk], found.get(pk)) for pk in shown.object_list if pk in rows]
    context = {"providers": lines, "page": shown, "rules": _rules(found.values()) if shown.number == 1 else ()}
    return render(request, "manage/issues/all.html", context)


@require_safe
@for_librarians
def provider_issues(request: HttpRequest, number: str) -> HttpResponse:
    """The findings about one provider's records by rule."""
    repository = own_repository(request, number)
    found = overview(repository)
    wanted = request.GET.get("severity", "")
    wanted = wanted if wanted in SEVERITY_WORDS else ""
    context = {
        "repository": repository,
        "overview": found,
        "groups": [each for each in found.groups if not each.ignored and wanted in ("", each.rule.severity)],
        "let_be": [each for each in found.groups if each.ignored],
        "chips": _chips(found.groups),
        "wanted": wanted,
        "ignorings": ignorings([repository.pk])[:SHOWN_IGNORINGS],
        "reason": ReasonForm(),
    }
    return render(request, "manage/issues/provider.html", context)


@require_safe
@for_librarians
def issue_list(request: HttpRequest) -> HttpResponse:
    """Findings one by one, as the filters say."""
    form = IssueFilterForm(request.GET)
    if not form.is_valid():
        return render(request, "manage/issues/list.html", {"form": form, "found": Page((), None)}, status=400)
    one, repositories = chosen(request, form)
    wanted = form.wanted(repositories)
    found = page(wanted, form.place) if wanted.state != IGNORED else Page((), None)
    context = {
        "form": form,
        "wanted": wanted,
        "repository": one,
        "rule": told_of_rule(wanted.code, _severity_of(wanted.code, found)) if wanted.code else None,
        "found": found,
        "told": told(found.rows),
        "ignorings": ignorings(wanted.repositories, wanted.code)[:SHOWN_IGNORINGS] if wanted.state == IGNORED else (),
        "states": [(name, word, query(request, state=name, after="")) for name, word in STATES.items()],
        "next": query(request, after="/".join(map(str, found.after))) if found.after else "",
        "first": query(request, after="") if form.place else None,
        "files": query(request, after=""),
        "can_act": wanted.state == OPEN,
        "is_resolved": wanted.state == RESOLVED,
        "reason": ReasonForm(),
    }
    return render(request, "manage/issues/list.html", context)


def chosen(request: HttpRequest, form: IssueFilterForm) -> tuple[Repository | None, list[int]]:
    """The one provider that a valid form names, if it does; and the rows' numbers of all that it means.

    Http404 if it names one that is not hers.
    """
    number = form.cleaned_data["repository"]
    if number:
        one = own_repository(request, number)
        return one, [one.pk]
    return None, list(repositories_of(request.user).order_by("pk").values_list("pk", flat=True))


def query(request: HttpRequest, **changed: str) -> str:
    """The query of this page with some parameters changed, "" taking one out."""
    return urlencode([(name, each) for name, each in {**request.GET.dict(), **changed}.items() if each])


def _line(repository: Repository, found: IssueCount | None) -> Line:
    return Line(repository, found, share(found.faulty, found.records) if found else 0.0)


def _rules(stocks: Iterable[IssueCount]) -> list[RuleLine]:
    records: Counter[tuple[str, str]] = Counter()
    providers: Counter[tuple[str, str]] = Counter()
    for each in stocks:
        for rule in stock.rules(each):
            records[rule.code, rule.severity] += rule.records
            providers[rule.code, rule.severity] += 1
    order = sorted(records, key=lambda key: (stock.ORDER.get(key[1], 9), -records[key], key))
    return [RuleLine(told_of_rule(*key), providers[key], records[key]) for key in order]


def _chips(groups: Iterable[Group]) -> list[tuple[str, Any, int]]:
    """Severity, its word, how many records, for those that occur."""
    counts: Counter[str] = Counter()
    for each in groups:
        if not each.ignored:
            counts[each.rule.severity] += each.rule.issues
    return [(str(name), word, counts[name]) for name, word in SEVERITY_WORDS.items() if counts[name]]


def _severity_of(code: str, found: Page) -> str:
    return found.rows[0].severity if found.rows else ""
