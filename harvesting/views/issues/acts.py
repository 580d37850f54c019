"""What people do with findings: let them be, take that back, ask for the records again, read them again. Knows HTTP."""

from collections import defaultdict

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from harvesting.accounts.access import for_librarians, own_repository, repositories_of
from harvesting.audit.trail import note
from harvesting.harvest import recheck
from harvesting.issues import counts
from harvesting.issues.filters import ReasonForm
from harvesting.issues.ignoring import ignore_issue, ignore_rule, take_back
from harvesting.messages import describe
from harvesting.models import Harvest, IgnoredIssue, Recheck, RecordIssue, Repository
from harvesting.rereading import run as reread
from harvesting.rereading.decisions import Tally
from harvesting.types import TransportError
from metadata.catalogue import RULES

MOST = recheck.MOST  # findings of one act


@require_POST
@for_librarians
def ignore(request: HttpRequest, number: str) -> HttpResponse:
    """Let a rule be for all records of a provider, or single findings, with a reason."""
    repository = own_repository(request, number)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(each) for errors in form.errors.values() for each in errors))
        return _back(request, repository)
    reason, person = form.cleaned_data["reason"], request.user.get_username()
    code = request.POST.get("code", "")
    if code:
        return _ignore_rule(request, repository, code, reason)
    done = 0
    for issue in _own_issues(request, repository):
        with transaction.atomic():
            row = ignore_issue(issue, repository, reason, person)
            if row is not None:
                note(request.user, "issue.ignored", row, reason, {"code": row.code, "place": row.field})
                done += 1
    counts.take_stock(repository)
    text = ngettext("%(count)s finding is ignored now.", "%(count)s findings are ignored now.", done)
    messages.success(request, text % {"count": done})
    return _back(request, repository)


def _ignore_rule(request: HttpRequest, repository: Repository, code: str, reason: str) -> HttpResponse:
    known = RecordIssue.objects.filter(repository=repository, code=code).exists() or code in RULES
    if not known:
        raise Http404(code)
    with transaction.atomic():
        row = ignore_rule(repository, code, reason, request.user.get_username())
        if row is not None:
            note(request.user, "rule.ignored", row, reason, {"code": code})
    if row is not None:
        counts.take_stock(repository)
    messages.success(request, _("%(code)s is ignored for this provider now.") % {"code": code})
    return _back(request, repository)


@require_POST
@for_librarians
def stop_ignoring(request: HttpRequest, number: str) -> HttpResponse:
    """Let what was ignored count again."""
    repository = own_repository(request, number)
    given = request.POST.get("ignoring", "")
    row = get_object_or_404(IgnoredIssue, pk=int(given) if given.isdecimal() else 0, repository=repository)
    with transaction.atomic():
        if take_back(row, request.user.get_username()):
            note(request.user, "ignoring.undone", row, row.reason, {"code": row.code})
    counts.take_stock(repository)
    messages.success(request, _("%(code)s counts again.") % {"code": row.code})
    return _back(request, repository)


@require_POST
@for_librarians
def again(request: HttpRequest) -> HttpResponse:
    """Ask the providers for the records of some findings again ("ask"), or read what is stored again ("read")."""
    rows = _own_issues(request, None)
    by_repository: defaultdict[int, set[int]] = defaultdict(set)
    for each in rows:
        by_repository[each.repository_id or 0].add(each.source_record_id)
    if not by_repository:
        messages.warning(request, _("Choose at least one record."))
        return _back(request, None)
    owners = repositories_of(request.user).in_bulk(by_repository)
    if request.POST.get("do") == "read":
        tally = Tally()
        for pk, records in by_repository.items():
            tally.merge(read_again(request, owners[pk], sorted(records)))
        messages.success(request, said_of(tally))
        return _back(request, None)
    runs = [run for pk, records in by_repository.items() for run in ask(request, owners[pk], sorted(records))]
    return redirect("issue_check", runs[0].pk) if runs else _back(request, None)


def ask(request: HttpRequest, repository: Repository, records: list[int]) -> list[Harvest]:
    """Queue the question, and note who asked; where a run is under way, say so."""
    try:
        with transaction.atomic():
            runs = recheck.ask_again(repository, records, request.user.get_username())
            for run in runs:
                note(request.user, "records.asked", run, details={"records": len(records)})
    except TransportError as error:
        messages.warning(request, describe(error.code, error.facts))
        return []
    return runs


def read_again(request: HttpRequest, repository: Repository, records: list[int]) -> Tally:
    """Read stored records by the rules of now, and note who wanted it."""
    tally = reread.again(records)
    note(request.user, "records.reread", repository, details={"records": tally.records})
    counts.take_stock(repository)
    return tally


def said_of(tally: Tally) -> str:
    """What reading again has brought, in a sentence or two."""
    values = {"records": tally.records, "before": tally.issues_before, "after": tally.issues_after}
    text = ngettext(
        "%(records)s record was read again by the rules of now. Findings: %(before)s before, %(after)s now.",
        "%(records)s records were read again by the rules of now. Findings: %(before)s before, %(after)s now.",
        tally.records,
    )
    return text % values


@require_safe
@for_librarians
def check(request: HttpRequest, run: int) -> HttpResponse:
    """How far the question is, and what came of each record."""
    asked = get_object_or_404(Recheck.objects.select_related("harvest__feed__repository"), harvest=run)
    repository = own_repository(request, asked.harvest.feed.repository.number)
    results = recheck.results(asked)
    done = sum(each.outcome is not recheck.Outcome.WAITING for each in results)
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        over = asked.harvest.state not in Harvest.ACTIVE
        return JsonResponse({"state": f"{asked.harvest.state} {done}", "over": over})
    context = {
        "repository": repository,
        "asked": asked,
        "run": asked.harvest,
        "under_way": asked.harvest.state in Harvest.ACTIVE,
        "results": [(each, WORDS[each.outcome]()) for each in results],
        "done": done,
        "mended": sum(each.outcome is recheck.Outcome.MENDED for each in results),
        "told": describe(asked.harvest.code, asked.harvest.facts) if asked.harvest.code else "",
    }
    return render(request, "manage/issues/check.html", context)


WORDS = {
    recheck.Outcome.WAITING: lambda: _("not asked for yet"),
    recheck.Outcome.MENDED: lambda: _("mended: no error and no warning is left"),
    recheck.Outcome.BETTER: lambda: _("better: some of it is mended"),
    recheck.Outcome.CHANGED: lambda: _("changed, but not mended"),
    recheck.Outcome.SAME: lambda: _("the provider sends the same as before"),
    recheck.Outcome.DELETED: lambda: _("the provider has deleted it"),
    recheck.Outcome.MISSING: lambda: _("the provider does not know this identifier any more"),
}


def _own_issues(request: HttpRequest, repository: Repository | None) -> list[RecordIssue]:
    """The findings that were ticked. Http404 if one of them is not the person's own; those gone meanwhile are left."""
    given = [int(each) for each in request.POST.getlist("issue")[:MOST] if each.isdecimal() and len(each) < 19]
    rows = list(RecordIssue.objects.filter(pk__in=given).select_related("source_record__repository"))
    own = {repository.pk} if repository else set(repositories_of(request.user).values_list("pk", flat=True))
    if any(each.repository_id not in own for each in rows):
        raise Http404
    return rows


def _back(request: HttpRequest, repository: Repository | None) -> HttpResponse:
    """To the page that the form stood on, if it is one of ours."""
    wanted = request.POST.get("back", "")
    if wanted.startswith("/manage/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None):
        return redirect(wanted)
    return redirect("provider_issues", repository.number) if repository else redirect(reverse("issues"))
