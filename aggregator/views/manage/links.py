"""The pages about checked links: what works, what is dead, and the same as a file for the provider."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from aggregator.links import report
from aggregator.models import CheckedLink
from harvesting.accounts.access import for_librarians, listed_repositories, own_repository, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.models import Repository


@require_safe
@for_librarians
def links(request: HttpRequest) -> HttpResponse:
    """`?repository=R…&state=dead`: the checked links of one provider, or of all providers of this person."""
    repository, wanted = _wanted(request)
    counts = report.counts(wanted.repositories)
    page = wanted.page(counts, request.GET.get("page"))
    chosen = {"repository": repository.number if repository else "", "state": wanted.state}
    context = {
        "repository": repository,
        "repositories": listed_repositories(request.user),
        "state": wanted.state,
        "states": [(state, state.label, counts[state]) for state in CheckedLink.State],
        "checked": counts.total(),
        "hosts": [(host, report.result_of(host.failure)) for host in report.failing_hosts(wanted.repositories)],
        "patterns": report.dead_patterns(wanted.repositories),
        "page": page,
        "rows": [(row, report.result_of(row.code)) for row in page.object_list],
        "query": urlencode({name: value for name, value in chosen.items() if value}),
        "is_off": settings.LINK_CHECKS_PER_DAY <= 0,
        "days": round(settings.LINK_DEAD_DAYS),
    }
    return render(request, "manage/links/list.html", context)


@require_safe
@for_librarians
def links_file(request: HttpRequest) -> HttpResponseBase:
    """The whole list as CSV."""
    repository, wanted = _wanted(request)
    name = "-".join(
        filter(None, ["links", repository.number if repository else "", f"{timezone.localdate():%Y-%m-%d}"])
    )
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    lines = report.as_csv(wanted.rows()[: report.MOST].iterator(1000))
    return StreamingHttpResponse(lines, "text/csv; charset=utf-8", headers=headers)


def _wanted(request: HttpRequest) -> tuple[Repository | None, report.Wanted]:
    """The provider and the conditions that a request names."""
    number, state = request.GET.get("repository", ""), request.GET.get("state", "")
    repository = own_repository(request, number) if number else None
    own: report.Owners
    if repository:
        own = Repository.objects.filter(pk=repository.pk)
    else:
        own = None if role_of(request.user) >= Role.STAFF else repositories_of(request.user)
    return repository, report.Wanted(own, state if state in CheckedLink.State.values else "")
