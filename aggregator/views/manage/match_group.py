"""The page that splits a group: staff tick the records that are another book. `review.splitting` makes the rulings."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from aggregator.catalogue.books import Description, Gone, find_book
from aggregator.review.preview import effect_of
from aggregator.review.ruling_form import GROUP_AT_MOST, record_named
from aggregator.review.rulings import Contradiction
from aggregator.review.splitting import split
from aggregator.views.manage.match_page import REASON_LENGTH
from aggregator.views.manage.matches import for_staff, person
from harvesting.models import SourceRecord


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def group(request: HttpRequest) -> HttpResponse:
    """Show the records of a group; those that are ticked become a book of their own."""
    given = request.POST if request.method == "POST" else request.GET
    of = record_named(given.get("of", ""))
    records = _members(of) if of else []
    if not records:
        reason = _("There is no such group. Enter the ID or address of one of its records.") if "of" in given else ""
        return _page(request, records, problem=reason)
    return _split(request, records) if request.method == "POST" else _page(request, records)


def _split(request: HttpRequest, records: list[Description]) -> HttpResponse:
    ticked = [
        description.public_id for description in records if description.public_id in request.POST.getlist("ticked")
    ]
    remaining = [description.public_id for description in records if description.public_id not in ticked]
    reason = request.POST.get("reason", "").strip()[:REASON_LENGTH]
    if not ticked or not remaining:
        problem = _("Select the records that describe a different book: some of them, but not all.")
        return _page(request, records, ticked, problem=problem, status=422)
    if not reason:
        return _page(request, records, ticked, problem=_("Give a reason."), status=422)
    try:
        if "try" in request.POST:
            effect = effect_of(lambda: split(ticked, remaining, reason, None))
            return _page(request, records, ticked, effect=effect)
        split(ticked, remaining, reason, person(request))
    except Contradiction as error:
        return _page(request, records, ticked, problem=error.message, status=422)
    return redirect(f"{reverse('match_pair')}?{urlencode({'first': ticked[0], 'second': remaining[0]})}")


def _page(
    request: HttpRequest, records: list[Description], ticked: list[str] | None = None, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Render the page. more: further context (problem, or effect)."""
    context = {
        **more,
        "records": records,
        "ticked": ticked or [],
        "was_tried": "effect" in more,
        "reason": request.POST.get("reason", "")[:REASON_LENGTH],
        "place": {},
        "alone": True,
    }
    return render(request, "matches/group.html", context, status=status)


def _members(public_id: str) -> list[Description]:
    """Return the records of the group, the oldest first; [] if the record is in no group."""
    try:
        found = find_book(public_id).descriptions
    except (SourceRecord.DoesNotExist, Gone):
        return []
    return list(found[:GROUP_AT_MOST])
