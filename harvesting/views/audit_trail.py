"""The audit trail as a page and as a CSV file. Librarians see the entries about their own providers."""

from collections.abc import Iterator
from itertools import batched

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_safe

from core.http.row_ids import row_id
from core.spreadsheet import csv_lines
from harvesting.accounts.access import for_librarians, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.filter import AuditFilterForm
from harvesting.models import AuditEntry
from harvesting.views.audit_wording import word_entries
from harvesting.views.query_string import changed_query

PAGE = 50
MOST = 100_000  # rows of a file; filtering by days gives access to the rest
HEADER = ("when", "who", "what", "provider", "about", "why", "details")


@require_safe
@for_librarians
def trace(request: HttpRequest) -> HttpResponse:
    """The page of the audit trail: the newest PAGE entries that match the filters; ?before= leads to older ones."""
    form = AuditFilterForm(request.GET)
    entries = seen_by(request)
    entries = form.narrow(entries) if form.is_valid() else entries.none()
    if before := row_id(request.GET.get("before", "")):
        entries = entries.filter(pk__lt=before)
    rows = list(entries.select_related("repository")[: PAGE + 1])
    more = len(rows) > PAGE
    context = {
        "form": form,
        "entries": word_entries(rows[:PAGE]),
        "older": changed_query(request, before=str(rows[PAGE - 1].pk)) if more else "",
        "file": changed_query(request, before=""),
        "is_first": not before,
    }
    return render(request, "manage/trace.html", context, status=200 if form.is_valid() else 400)


@require_safe
@for_librarians
def trace_file(request: HttpRequest) -> HttpResponseBase:
    """The entries that match the filters as CSV, in the order of the page."""
    form = AuditFilterForm(request.GET)
    if not form.is_valid():
        return trace(request)
    entries = form.narrow(seen_by(request)).select_related("repository")[:MOST]
    name = f"trace-{timezone.localdate():%Y-%m-%d}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(csv_lines(HEADER, cells(entries)), "text/csv; charset=utf-8", headers=headers)


def seen_by(request: HttpRequest) -> QuerySet[AuditEntry]:
    """The entries the user may see: all for staff, those about their own providers for librarians."""
    if role_of(request.user) >= Role.STAFF:
        return AuditEntry.objects.all()
    return AuditEntry.objects.filter(repository__in=repositories_of(request.user))


def cells(entries: QuerySet[AuditEntry]) -> Iterator[tuple[str, ...]]:
    """The rows of the CSV file, as named by HEADER."""
    for batch in batched(entries.iterator(chunk_size=1000), 1000):
        for entry, action, about, details in word_entries(batch):
            yield (
                date_format(timezone.localtime(entry.at), "Y-m-d H:i:s"),
                entry.name,
                str(action),
                entry.repository.number if entry.repository else "",
                about,
                entry.reason,
                "; ".join(f"{label}: {value}" for label, value in details),
            )
