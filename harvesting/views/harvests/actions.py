"""Actions on harvests from their pages: start, pause, resume, cancel, decide, fill a gap. All need POST, except to show
the form that starts a harvest.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from harvesting.accounts.access import for_librarians, own_repository, repositories_of
from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.harvest import control
from harvesting.harvest.start import refusal_message, scope_of, start, start_message
from harvesting.messages import describe
from harvesting.models import DateWindow, Harvest, Repository
from harvesting.monitoring import verdicts
from harvesting.types import TransportError
from harvesting.views.harvests.page import own_harvest, page_context
from harvesting.views.harvests.start_form import StartForm

LONGEST_REASON = 500
DONE = {
    "pause": lambda: _("The harvest is being paused. The page in progress will still be stored."),
    "resume": lambda: _("The harvest will resume within seconds."),
    "cancel": lambda: _("The harvest is being cancelled. Records already stored are kept."),
}


@require_POST
@for_librarians
def harvest_steer(request: HttpRequest, pk: int) -> HttpResponse:
    """Pause, resume or cancel one run."""
    run = own_harvest(request, pk)
    act = request.POST.get("act", "")
    if act not in DONE:
        messages.error(request, _("Choose what to do with the harvest."))
        return redirect("harvest", pk)
    try:
        changed = control.perform_action(run, act, request.user, _reason(request))
    except TransportError as error:  # a worker claimed the run at the same moment
        messages.warning(request, describe(error.code, error.facts))
    else:
        run.refresh_from_db()
        state = {"id": run.pk, "state": run.get_state_display()}
        refusal = _("Harvest #%(id)s is “%(state)s”, so this cannot be done.") % state
        (messages.success if changed else messages.warning)(request, DONE[act]() if changed else refusal)
    verdicts.renew([run.feed.repository_id])
    return redirect("harvest", pk)


@require_POST
@for_librarians
def harvest_decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm or refuse what a run found. A reason is required; the audit trail stores it."""
    run = own_harvest(request, pk)
    answer, reason = request.POST.get("answer", ""), _reason(request)
    if not awaits_decision(run):
        messages.warning(request, _("Harvest #%(id)s no longer needs a decision.") % {"id": pk})
        return redirect("harvest", pk)
    if answer not in control.ANSWERS or not reason:
        problem = _("Give a short reason. It is recorded for those who look at this later.")
        return render(request, "manage/harvests/harvest.html", {**page_context(run), "problem": problem}, status=422)
    try:
        control.decide(run, answer, request.user, reason)
    except TransportError as error:  # another user decided at the same moment
        messages.warning(request, describe(error.code, error.facts))
    else:
        run.refresh_from_db()
        messages.success(request, describe(run.code, run.facts))
    verdicts.renew([run.feed.repository_id])
    return redirect("harvest", pk)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def harvest_start(request: HttpRequest, number: str) -> HttpResponse:
    """The form that starts a harvest of one provider."""
    repository = own_repository(request, number)
    form = StartForm(repository, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            run = start(form.feed, request.user, **form.scope())
        except TransportError as error:
            form.add_error(None, refusal_message(form.feed, error))
        else:
            messages.success(request, start_message(run, form.feed))
            verdicts.renew([repository.pk])
            return redirect("harvest", run.pk)
    return _form(request, repository, form)


@require_POST
@for_librarians
def harvest_gap(request: HttpRequest, pk: int) -> HttpResponse:
    """Start a harvest of a period that could not be harvested before."""
    gaps = DateWindow.objects.filter(state=DateWindow.State.GAP, feed__repository__in=repositories_of(request.user))
    gap = get_object_or_404(gaps.select_related("feed__repository"), pk=pk)
    try:
        run = start(gap.feed, request.user, **scope_of(gap))
    except TransportError as error:
        messages.warning(request, refusal_message(gap.feed, error))
        return redirect("harvests_of", gap.feed.repository.number)
    messages.success(request, start_message(run, gap.feed))
    return redirect("harvest", run.pk)


def _form(request: HttpRequest, repository: Repository, form: StartForm) -> HttpResponse:
    active = Harvest.objects.active().filter(feed__repository=repository).select_related("feed__repository")
    context = {"repository": repository, "form": form, "active": list(active)}
    return render(request, "manage/harvests/start.html", context, status=422 if form.errors else 200)


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "").strip()[:LONGEST_REASON]
