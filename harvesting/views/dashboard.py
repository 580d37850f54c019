"""The first page of librarians and staff: what needs them, and where everything is."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from harvesting.access import for_librarians, repositories_of
from harvesting.alarms import alarms


@require_safe
@for_librarians
def dashboard(request: HttpRequest) -> HttpResponse:
    """What waits for this person, and her pages."""
    own = repositories_of(request.user)
    return render(request, "manage/dashboard.html", {"alarms": alarms(own, timezone.now())})
