"""The list of issues as a file, with the filters of the page. Streamed."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians
from harvesting.issues.export import MOST, MOST_IN_EXCEL, as_csv, as_excel, as_json, pieces
from harvesting.issues.filters import IssueFilterForm
from harvesting.issues.lists import IGNORED, all_issues
from harvesting.views.issues.pages import chosen, issue_list

EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_safe
@for_librarians
def issue_file(request: HttpRequest, suffix: str) -> HttpResponseBase:
    """The whole list as CSV, JSON or an Excel workbook."""
    form = IssueFilterForm(request.GET)
    if not form.is_valid():
        return issue_list(request)
    issue_query = form.issue_query(chosen(request, form)[1])
    if issue_query.state == IGNORED:
        return HttpResponse(status=204)
    rows = all_issues(issue_query, MOST_IN_EXCEL if suffix == "xlsx" else MOST)
    name = "-".join(filter(None, ["issues", form.cleaned_data["repository"], f"{timezone.localdate():%Y-%m-%d}"]))
    headers = {"Content-Disposition": f'attachment; filename="{name}.{suffix}"'}
    if suffix == "xlsx":
        return StreamingHttpResponse(pieces(as_excel(rows)), EXCEL, headers=headers)
    if suffix == "json":
        return StreamingHttpResponse(as_json(rows), "application/json", headers=headers)
    return StreamingHttpResponse(as_csv(rows), "text/csv; charset=utf-8", headers=headers)
