"""Files of a harvest to download: its log, its issues, unreadable pages. Log and issues are streamed."""

import json
from collections.abc import Iterable, Iterator

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.views.decorators.http import require_safe

from core.spreadsheet import csv_lines
from harvesting.accounts.access import for_librarians
from harvesting.models import LARGE_COLUMNS, Harvest, RecordIssue
from harvesting.monitoring.run_summary import LOG_HEADER, log_rows
from harvesting.records.compression import unpack_payload
from harvesting.views.harvests.page import own_harvest
from metadata.catalogue import sentence
from metadata.issue import Severity

ISSUE_HEADER = ("identifier", "record", "code", "severity", "field", "value", "changed_to", "message")
MOST = 1_000_000  # issues in a file
CSV, JSON_LINES = "csv", "jsonl"
# The bytes come from a provider and may be harmful: browsers must save them, never display or execute them.
UNTRUSTED = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "no-store",
}


@require_safe
@for_librarians
def harvest_log(request: HttpRequest, pk: str, ending: str) -> HttpResponseBase:
    """The log of a run as CSV or JSON Lines."""
    run = own_harvest(request, int(pk))
    return _file(f"harvest-{run.pk}-log", ending, LOG_HEADER, log_rows(run))


@require_safe
@for_librarians
def harvest_issues(request: HttpRequest, pk: str, ending: str) -> HttpResponseBase:
    """The issues that a run found and that are still open, as CSV or JSON Lines."""
    run = own_harvest(request, int(pk))
    return _file(f"harvest-{run.pk}-issues", ending, ISSUE_HEADER, _issues(run))


@require_safe
@for_librarians
def harvest_broken_page(request: HttpRequest, pk: int, page: int) -> HttpResponse:
    """The bytes of an unreadable page as an attachment."""
    broken_page = own_harvest(request, pk).broken_pages.filter(pk=page).first()
    if broken_page is None:
        raise Http404(page)
    name = {"Content-Disposition": f'attachment; filename="harvest-{pk}-page-{page}.bin"'}
    return HttpResponse(
        unpack_payload(bytes(broken_page.body)), "application/octet-stream", headers={**UNTRUSTED, **name}
    )


def _file(name: str, ending: str, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> HttpResponseBase:
    kinds = {CSV: ("text/csv; charset=utf-8", csv_lines(header, rows))}
    kinds[JSON_LINES] = ("application/jsonl; charset=utf-8", _json_lines(header, rows))
    kind, lines = kinds[ending]
    headers = {**UNTRUSTED, "Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    return StreamingHttpResponse(lines, kind, headers=headers)


def _json_lines(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False).encode() + b"\n"


def _issues(run: Harvest) -> Iterator[tuple[object, ...]]:
    language = translation.get_language() or ""
    rows = RecordIssue.objects.filter(harvest=run).select_related("source_record").order_by("pk")
    heavy = (f"source_record__{name}" for name in LARGE_COLUMNS)
    for issue in rows.defer(*heavy)[:MOST].iterator(chunk_size=1000):
        message = sentence(issue.issue, language, Severity(issue.severity))
        record = issue.source_record
        yield (
            *(record.identifier, record.public_id, issue.code, issue.severity),
            *(issue.field, issue.value, issue.result, message),
        )
