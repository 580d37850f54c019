"""What staff do with the DOIs of a provider: a dry run, sending, and what they know of files and deliveries."""

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from core.http.row_ids import row_id
from harvesting.accounts.access import for_staff, own_repository
from harvesting.audit.trail import note
from harvesting.doi import deliveries, lists, states
from harvesting.doi.verdicts import settle
from harvesting.doi.wording import not_ready_text
from harvesting.models import DoiAgreement, DoiDelivery, Repository, RequestedDoi
from metadata.deposits.kinds import AGENCIES


@require_POST
@for_staff
def doi_act(request: HttpRequest, number: str) -> HttpResponse:
    """Carry out one action, and return to the page of the provider."""
    repository = own_repository(request, number)
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise Http404(number)
    try:
        with transaction.atomic():
            done = act(request, repository)
            note(request.user, f"doi.{request.POST['act']}", repository, details={"records": done})
    except deliveries.NotReady as reason:
        messages.error(request, not_ready_text(reason.code))
    else:
        text = ngettext("%(count)s DOI was concerned.", "%(count)s DOIs were concerned.", done)
        messages.success(request, text % {"count": done})
    return redirect("provider_dois", number)


def _rehearse(_request: HttpRequest, repository: Repository) -> int:
    return _prepare(repository, rehearsal=True)


def _send(_request: HttpRequest, repository: Repository) -> int:
    return _prepare(repository, rehearsal=False)


def _prepare(repository: Repository, *, rehearsal: bool) -> int:
    agreement = DoiAgreement.objects.filter(repository=repository).first()
    if agreement is None:
        raise deliveries.NotReady("off")
    return sum(len(delivery.contents) for delivery in deliveries.prepare(agreement, rehearsal=rehearsal))


def _handed_over(request: HttpRequest, repository: Repository) -> int:
    """Mark what was ready when the page was shown, and has not changed since."""
    shown = parse_datetime(request.POST.get("shown", "")) or timezone.now()
    rows = lists.ready_rows(repository.pk)
    return states.mark_handed_over([row for row in rows if row.checked_at and row.checked_at <= shown])


def _registered(request: HttpRequest, repository: Repository) -> int:
    agency = request.POST.get("agency", "")
    if agency not in AGENCIES:
        raise Http404(agency)
    return states.mark_registered(repository.pk, agency)


def _settled(_request: HttpRequest, repository: Repository) -> int:
    return settle(RequestedDoi, repository.pk)


def _arrived(request: HttpRequest, repository: Repository) -> int:
    return _resolve(request, repository, arrived=True)


def _not_arrived(request: HttpRequest, repository: Repository) -> int:
    return _resolve(request, repository, arrived=False)


def _resolve(request: HttpRequest, repository: Repository, *, arrived: bool) -> int:
    own = DoiDelivery.objects.filter(repository=repository)
    delivery = get_object_or_404(own, pk=row_id(request.POST.get("delivery", "")))
    if deliveries.resolve(delivery, arrived=arrived):
        return len(delivery.contents)
    messages.info(request, _("This delivery has been settled already."))
    return 0


_ACTS: dict[str, Callable[[HttpRequest, Repository], int]] = {
    "dry_run": _rehearse,
    "send": _send,
    "handed_over": _handed_over,
    "registered": _registered,
    "settled": _settled,
    "arrived": _arrived,
    "not_arrived": _not_arrived,
}
