"""A reader reports an error in a book: the form, and thanks. The fields are in `error_report_form`."""

from datetime import timedelta
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from aggregator.catalogue import books as catalogue
from aggregator.middleware.rate_budget import spend_budget
from aggregator.models import ErrorReport
from aggregator.presentation.error_report_form import ReportForm, stamp
from aggregator.views.public.books import absent, gone_page
from core.http.rate_limit import Counts, RateLimit
from harvesting.models import SourceRecord

MOST_IN_AN_HOUR = 100  # from all networks together: as many as staff can look at
AT_ONCE, SECONDS = 5, 5 * 300  # reports of one network: five at once, then one every five minutes


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the form; store a valid report once and thank the reader."""
    try:
        source = catalogue.find_source(public_id)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    if source.suppressed_at is not None:
        return gone_page(request, catalogue.Gone(source))
    if "sent" in request.GET:
        return render(request, "books/reported.html", {"public_id": public_id})
    form = ReportForm(public_id, request.POST if request.method == "POST" else None)
    described, status = catalogue.describe(source), 200
    if request.method == "POST":
        if form.is_trap:
            return _thanks(public_id)
        if form.is_valid() and has_room(request):
            _store(form, public_id, described.record.title)
            return _thanks(public_id)
        status = 400
        if form.is_valid():
            form.add_error(None, _("Too many reports are coming in at the moment. Please try again in an hour."))
            status = 429
    context = {"form": form, "stamp": stamp(public_id), "public_id": public_id, "record": described.record}
    return render(request, "books/report.html", context, status=status)


def _thanks(public_id: str) -> HttpResponse:
    return redirect(f"{reverse('report', args=[public_id])}?sent=1")


def _store(form: ReportForm, public_id: str, title: str) -> None:
    """Store the report, unless the same text about the same record was sent within the last day."""
    yesterday = timezone.now() - timedelta(days=1)
    same = ErrorReport.objects.filter(public_id=public_id, text=form.cleaned_data["text"], created__gt=yesterday)
    if not same.exists():
        row = form.save(commit=False)
        row.public_id, row.title = public_id, title[: ErrorReport._meta.get_field("title").max_length]
        row.save()


@cache
def _limit() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "report", AT_ONCE, SECONDS)


def has_room(request: HttpRequest) -> bool:
    """Return whether one more report is accepted from this network, and from all networks together.

    Every call counts as a report of the network. Nothing is stored about the network.
    """
    if spend_budget(request, _limit()):
        return False
    hour = timezone.now() - timedelta(hours=1)
    return ErrorReport.objects.filter(created__gt=hour).count() < MOST_IN_AN_HOUR
