"""The books by five properties at once as CSV, and a table of two of them as JSON. Their shapes are documented in
docs/reference/interfaces.md and stay.
"""

from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from aggregator.statistics.crossed import PROPERTIES
from aggregator.statistics.crossed_table import NONE, Table, all_cells, choice_of, table_of
from core.spreadsheet import csv_lines


@gzip_page
@require_safe
def csv_file(_request: HttpRequest) -> StreamingHttpResponse:
    """Return all cells, line by line."""
    response = StreamingHttpResponse(
        csv_lines((*PROPERTIES, "books"), all_cells()), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = 'attachment; filename="crossed.csv"'
    return response


@gzip_page
@require_safe
def json_file(request: HttpRequest) -> JsonResponse:
    """Return the table that the parameters choose."""
    table = table_of(choice_of(request.GET))
    answer = _as_data(table) if table else {"books": 0, "counts": []}
    return JsonResponse(answer, json_dumps_params={"ensure_ascii": False})


def _as_data(table: Table) -> dict[str, object]:
    choice = table.choice
    counts = [
        {choice.rows: _code(line.value.code), choice.columns: _code(column.code), "books": count}
        for line in table.lines
        for column, count in zip(table.columns, line.counts, strict=True)
        if count
    ]
    limits = {name: _code(code) for name, code in choice.limits.items()}
    return {"rows": choice.rows, "columns": choice.columns, "limits": limits, "books": table.total, "counts": counts}


def _code(code: str) -> str:
    return "" if code == NONE else code
