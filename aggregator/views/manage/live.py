"""The page for staff and librarians about their live sources."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from aggregator.live.report import DAYS, reports
from aggregator.live.sources import EVERY, catalogues, is_on
from harvesting.accounts.access import for_librarians, repositories_of


@require_safe
@for_librarians
def live(request: HttpRequest) -> HttpResponse:
    """Show the live sources of this user: state, availability, latency, errors. Failing ones come first."""
    own = set(repositories_of(request.user).values_list("number", flat=True))
    found = reports([catalogue for catalogue in catalogues(most=EVERY) if catalogue.number in own], timezone.now())
    urgency = ("paused", "silent", "fails", "untried", "answers", "link")
    found.sort(key=lambda report: (urgency.index(report.health), report.catalogue.number))
    return render(request, "manage/live.html", {"reports": found, "days": DAYS, "is_off": not is_on()})
