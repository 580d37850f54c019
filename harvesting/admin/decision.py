"""The page of a harvest that waits for a person: what happened, which records are at stake, and the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.admin.utils import label_for_field
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_protect

from harvesting import deletions
from harvesting.admin.notices import COUNTS, notices_of, what_happened
from harvesting.compression import unpack_record
from harvesting.messages import describe
from harvesting.models import Harvest, HeldDeletion
from harvesting.transports.base import TransportError

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin
    from django_stubs_ext import StrOrPromise

SHOWN = 50  # records of those that would be deleted


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer: what it is called, what it brings about."""

    name: str
    label: "StrOrPromise"
    meaning: "StrOrPromise"


@dataclass(frozen=True, slots=True)
class Held:
    """A record whose deletion waits."""

    record: Any
    title: str
    how: str


ABOUT_DELETIONS = (
    Choice(
        "refuse",
        gettext_lazy("Keep the records"),
        gettext_lazy("Nothing is deleted. The harvest counts as finished; the next one looks again."),
    ),
    Choice(
        "confirm",
        gettext_lazy("Delete the records"),
        gettext_lazy(
            "They vanish from the search. For 90 days each of them can be restored. Many are deleted in the background."
        ),
    ),
)
ABOUT_THE_LIST = (
    Choice(
        "refuse",
        gettext_lazy("Drop this harvest"),
        gettext_lazy(
            "The earlier records stay in use; the next harvest asks for everything that this one should have."
        ),
    ),
    Choice(
        "confirm",
        gettext_lazy("Accept what came"),
        gettext_lazy(
            "The list is right as it came; the next harvest asks only for what has changed since. Nothing is deleted."
        ),
    ),
)
ACTS: dict[str, Callable[[Harvest, str], int]] = {"confirm": deletions.confirm, "refuse": deletions.refuse}


@csrf_protect
def decide(request: HttpRequest, admin: "ModelAdmin[Harvest]", pk: int) -> HttpResponseBase:
    """Show the question, or carry out the answer. 404 for other people's runs and for those that do not wait."""
    run = admin.get_queryset(request).filter(pk=pk).first()
    if run is None or not admin.has_steer_permission(request):  # type: ignore[attr-defined]
        raise Http404
    if not deletions.waiting().filter(pk=pk).exists():
        messages.warning(request, _("Harvest #%(id)s does not wait for a decision any more.") % {"id": pk})
        return HttpResponseRedirect(reverse("admin:harvesting_harvest_change", args=[pk]))
    answer = request.POST.get("answer", "") if request.method == "POST" else ""
    if answer in ACTS:
        return _carry_out(request, admin, run, answer)
    return TemplateResponse(request, "admin/harvesting/harvest/decision.html", _context(request, admin, run))


def _carry_out(request: HttpRequest, admin: "ModelAdmin[Harvest]", run: Harvest, answer: str) -> HttpResponseBase:
    try:
        ACTS[answer](run, request.user.get_username())
    except TransportError as error:  # somebody else decided at the same moment
        messages.warning(request, describe(error.code, error.facts))
    else:
        run.refresh_from_db()
        told = describe(run.code, run.facts)
        admin.log_change(request, run, told)
        messages.success(request, told)
    return HttpResponseRedirect(reverse("admin:harvesting_harvest_change", args=[run.pk]))


def _context(request: HttpRequest, admin: "ModelAdmin[Harvest]", run: Harvest) -> dict[str, Any]:
    held = run.held_deletions.select_related("record").order_by("pk")[:SHOWN]
    sample = [Held(each.record, title_of(each), each.get_deletion_display()) for each in held]
    total = run.held_deletions.count() if sample else 0
    return {
        **admin.admin_site.each_context(request),
        "title": _("Decision about harvest #%(id)s") % {"id": run.pk},
        "opts": admin.opts,
        "media": admin.media,
        "run": run,
        "message": what_happened(run.code, run.facts),
        "counts": [(label_for_field(name, Harvest), getattr(run, name)) for name in COUNTS],
        "notices": notices_of(run),
        "sample": sample,
        "total": total,
        "choices": ABOUT_DELETIONS if sample else ABOUT_THE_LIST,
    }


def title_of(held: HeldDeletion) -> str:
    """The title of the record as it is registered, else its public id."""
    packed = bytes(held.record.record)
    title = unpack_record(packed).title if packed else ""
    return title or held.record.public_id
