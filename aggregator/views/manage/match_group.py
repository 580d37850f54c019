"""The page that splits a group: staff tick the descriptions that belong to another book. `review.splitting`
makes the rulings.
"""

from collections.abc import Collection
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from aggregator.review.descriptions import GroupOfDescriptions, descriptions_of, parts_of
from aggregator.review.preview import effect_of
from aggregator.review.ruling_form import record_named
from aggregator.review.rulings import Contradiction
from aggregator.review.splitting import split
from aggregator.views.manage.match_page import REASON_LENGTH
from aggregator.views.manage.matches import for_staff, person


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def group(request: HttpRequest) -> HttpResponse:
    """Show the descriptions of a group; those that are ticked become a book of their own."""
    given = request.POST if request.method == "POST" else request.GET
    of = record_named(given.get("of", ""))
    found = descriptions_of(of, given.get("open", "")) if of else None
    if found is None:
        reason = _("There is no such group. Enter the ID or address of one of its records.") if "of" in given else ""
        return _page(request, found, problem=reason)
    return _split(request, found) if request.method == "POST" else _page(request, found)


def _split(request: HttpRequest, found: GroupOfDescriptions) -> HttpResponse:
    ticked = set(request.POST.getlist("ticked"))
    chosen, remaining = parts_of(found, ticked)
    reason = request.POST.get("reason", "").strip()[:REASON_LENGTH]
    if not chosen or not remaining:
        problem = _("Select the descriptions of a different book: some of them, but not all.")
        return _page(request, found, ticked, problem=problem, status=422)
    if not reason:
        return _page(request, found, ticked, problem=_("Give a reason."), status=422)
    try:
        if "try" in request.POST:
            return _page(request, found, ticked, effect=effect_of(lambda: split(chosen, remaining, reason, None)))
        split(chosen, remaining, reason, person(request))
    except Contradiction as error:
        return _page(request, found, ticked, problem=error.message, status=422)
    names = {"first": chosen[0].name, "second": remaining[0].name}
    return redirect(f"{reverse('match_pair')}?{urlencode(names)}")


def _page(
    request: HttpRequest,
    found: GroupOfDescriptions | None,
    ticked: Collection[str] = (),
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Render the page. more: further context (problem, or effect)."""
    context = {
        **more,
        "group": found,
        "ticked": ticked,
        "was_tried": "effect" in more,
        "reason": request.POST.get("reason", "")[:REASON_LENGTH],
        "place": {},
        "alone": True,
    }
    return render(request, "matches/group.html", context, status=status)
