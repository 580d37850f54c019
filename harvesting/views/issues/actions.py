"""Actions on a rule or a single issue: ignoring it, and letting it count again. Actions on the record of an issue:
fetching it again, rereading it. Actions on many issues are bulk actions.
"""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from core.http.row_ids import row_id
from harvesting.accounts.access import for_librarians, own_repository
from harvesting.audit.trail import note
from harvesting.harvest import recheck
from harvesting.issues import counts
from harvesting.issues.filters import ReasonForm
from harvesting.issues.ignoring import ignore_issues, ignore_rule, unignore
from harvesting.messages import describe
from harvesting.models import Harvest, IgnoredIssue, Recheck, RecordIssue, Repository
from harvesting.rereading.decisions import Tally
from harvesting.rereading.run import reread_now
from harvesting.types import TransportError
from harvesting.views.going_back import page_before
from metadata.catalogue import RULES


@require_POST
@for_librarians
def ignore(request: HttpRequest, number: str) -> HttpResponse:
    """Ignore a rule for all records of a provider, or one issue, with a reason."""
    repository = own_repository(request, number)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return _back(request, repository)
    reason = form.cleaned_data["reason"]
    code = request.POST.get("code", "")
    if code:
        return _ignore_rule(request, repository, code, reason)
    return _ignore_issue(request, repository, reason)


def _ignore_issue(request: HttpRequest, repository: Repository, reason: str) -> HttpResponse:
    issue = get_object_or_404(RecordIssue, pk=row_id(request.POST.get("issue", "")), repository=repository)
    with transaction.atomic():
        ignored = ignore_issues([issue.pk], reason, request.user.get_username())
        for _number, row in ignored:
            note(request.user, "issue.ignored", row, reason, {"code": row.code, "place": row.field})
    if ignored:
        counts.recount_rule(repository, issue.code)
        messages.success(request, _("The issue is now ignored."))
    return _back(request, repository)


def _ignore_rule(request: HttpRequest, repository: Repository, code: str, reason: str) -> HttpResponse:
    exists = RecordIssue.objects.filter(repository=repository, code=code).exists() or code in RULES
    if not exists:
        raise Http404(code)
    with transaction.atomic():
        row = ignore_rule(repository, code, reason, request.user.get_username())
        if row is not None:
            note(request.user, "rule.ignored", row, reason, {"code": code})
    if row is not None:
        counts.recount_rule(repository, code)
    messages.success(request, _("%(code)s is now ignored for this provider.") % {"code": code})
    return _back(request, repository)


@require_POST
@for_librarians
def stop_ignoring(request: HttpRequest, number: str) -> HttpResponse:
    """Let an ignored issue or rule count again."""
    repository = own_repository(request, number)
    row = get_object_or_404(IgnoredIssue, pk=row_id(request.POST.get("ignoring", "")), repository=repository)
    with transaction.atomic():
        if unignore(row, request.user.get_username()):
            note(request.user, "ignoring.undone", row, row.reason, {"code": row.code})
    counts.recount_rule(repository, row.code)
    messages.success(request, _("%(code)s is no longer ignored.") % {"code": row.code})
    return _back(request, repository)


def ask_again(request: HttpRequest, repository: Repository, records: list[int]) -> list[Harvest]:
    """Queue the harvests that fetch these records again, and record who asked for it.

    Returns no harvests, with a warning to the user, if a run of the feed is in progress.
    """
    try:
        with transaction.atomic():
            runs = recheck.queue_recheck(repository, records, request.user.get_username())
            for run in runs:
                note(request.user, "records.asked", run, details={"records": len(records)})
    except TransportError as error:
        messages.warning(request, describe(error.code, error.facts))
        return []
    return runs


def reread_records(request: HttpRequest, repository: Repository, records: list[int]) -> Tally:
    """Reread stored records with the current rules, and record who asked for it."""
    tally = reread_now(records)
    note(request.user, "records.reread", repository, details={"records": tally.records})
    counts.count_issues(repository)
    return tally


def reread_summary(tally: Tally) -> str:
    """The result of rereading, in a sentence or two."""
    values = {"records": tally.records, "before": tally.issues_before, "after": tally.issues_after}
    text = ngettext(
        ("%(records)s record was reread with the current rules. Issues: %(before)s before, %(after)s now."),
        ("%(records)s records were reread with the current rules. Issues: %(before)s before, %(after)s now."),
        tally.records,
    )
    return text % values


@require_safe
@for_librarians
def check(request: HttpRequest, run: int) -> HttpResponse:
    """The progress of fetching records again, and the result for each record; JSON for the script of the page."""
    recheck_row = get_object_or_404(Recheck.objects.select_related("harvest__feed__repository"), harvest=run)
    repository = own_repository(request, recheck_row.harvest.feed.repository.number)
    results = recheck.results(recheck_row)
    done = sum(result.outcome is not recheck.Outcome.WAITING for result in results)
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        over = recheck_row.harvest.state not in Harvest.ACTIVE
        return JsonResponse({"state": f"{recheck_row.harvest.state} {done}", "over": over})
    context = {
        "repository": repository,
        "asked": recheck_row,
        "run": recheck_row.harvest,
        "under_way": recheck_row.harvest.state in Harvest.ACTIVE,
        "results": [(result, WORDS[result.outcome]()) for result in results],
        "done": done,
        "mended": sum(result.outcome is recheck.Outcome.MENDED for result in results),
        "failure": describe(recheck_row.harvest.code, recheck_row.harvest.facts) if recheck_row.harvest.code else "",
    }
    return render(request, "manage/issues/check.html", context)


WORDS = {
    recheck.Outcome.WAITING: lambda: _("not fetched again yet"),
    recheck.Outcome.MENDED: lambda: _("corrected: no errors or warnings remain"),
    recheck.Outcome.BETTER: lambda: _("partly corrected"),
    recheck.Outcome.CHANGED: lambda: _("changed, but not corrected"),
    recheck.Outcome.SAME: lambda: _("unchanged: the provider still sends the same data"),
    recheck.Outcome.DELETED: lambda: _("deleted by the provider"),
    recheck.Outcome.MISSING: lambda: _("identifier no longer known to the provider"),
}


def _back(request: HttpRequest, repository: Repository) -> HttpResponse:
    return redirect(page_before(request, reverse("provider_issues", args=[repository.number])))
