"""The admin page of a harvest that waits for a decision: what happened, which records are at stake, the answer."""

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.admin.utils import label_for_field
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_protect

from harvesting.completion import deletion_decisions
from harvesting.harvest import control
from harvesting.messages import describe
from harvesting.models import Harvest
from harvesting.monitoring.run_summary import COUNTS, observations_of, what_happened
from harvesting.types import TransportError

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin


@csrf_protect
def decide(request: HttpRequest, admin: "ModelAdmin[Harvest]", pk: int) -> HttpResponseBase:
    """Show the question, or carry out the answer.

    Raises Http404 for other people's runs; for a run that does not wait any more, redirects with a warning.
    """
    run = admin.get_queryset(request).filter(pk=pk).first()
    if run is None or not admin.has_steer_permission(request):  # type: ignore[attr-defined]
        raise Http404
    if not deletion_decisions.runs_awaiting_decision().filter(pk=pk).exists():
        messages.warning(request, _("Harvest #%(id)s no longer needs a decision.") % {"id": pk})
        return HttpResponseRedirect(reverse("admin:harvesting_harvest_change", args=[pk]))
    answer = request.POST.get("answer", "") if request.method == "POST" else ""
    if answer in control.ANSWERS:
        return _carry_out(request, admin, run, answer)
    return TemplateResponse(request, "admin/harvesting/harvest/decision.html", _context(request, admin, run))


def _carry_out(request: HttpRequest, admin: "ModelAdmin[Harvest]", run: Harvest, answer: str) -> HttpResponseBase:
    try:
        control.ANSWERS[answer](run, request.user.get_username())
    except TransportError as error:  # another user decided at the same moment
        messages.warning(request, describe(error.code, error.facts))
    else:
        run.refresh_from_db()
        message = describe(run.code, run.facts)
        admin.log_change(request, run, message)
        messages.success(request, message)
    return HttpResponseRedirect(reverse("admin:harvesting_harvest_change", args=[run.pk]))


def _context(request: HttpRequest, admin: "ModelAdmin[Harvest]", run: Harvest) -> dict[str, Any]:
    sample = control.held_records(run)
    total = run.held_deletions.count() if sample else 0
    return {
        **admin.admin_site.each_context(request),
        "title": _("Decision about harvest #%(id)s") % {"id": run.pk},
        "opts": admin.opts,
        "media": admin.media,
        "run": run,
        "message": what_happened(run.code, run.facts),
        "counts": [(label_for_field(name, Harvest), getattr(run, name)) for name in COUNTS],
        "notices": observations_of(run),
        "sample": sample,
        "total": total,
        "choices": control.choices(run),
    }
