"""The public pages about providers. Knows HTTP; states and counts come from `aggregator.catalogue.providers`."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from aggregator.catalogue import providers as directory
from aggregator.catalogue.providers import Listing, RuleIssues
from aggregator.presentation.issues import DescribedIssue, described_issues, severity_names
from core.spreadsheet import as_csv
from harvesting.models import Harvest, Repository

COLUMNS = (
    *("number", "name", "name_yomi", "name_en", "kind", "state", "state_reason", "home_page", "licence", "protocols"),
    *("formats", "records", "issues", "last_harvest_state", "last_harvest_finished"),
)


def repository_list(request: HttpRequest) -> HttpResponse:
    """All providers that are live or on trial."""
    return render(request, "repositories/list.html", {"listings": directory.listings()})


def repository_json(_request: HttpRequest) -> JsonResponse:
    """The same list for machines."""
    listings = [_as_json(each) for each in directory.listings()]
    return JsonResponse({"repositories": listings}, json_dumps_params={"ensure_ascii": False})


def repository_csv(_request: HttpRequest) -> HttpResponse:
    """The same list for spreadsheets."""
    rows = [_flat(_as_json(each)) for each in directory.listings()]
    response = HttpResponse(as_csv(COLUMNS, rows), "text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="repositories.csv"'
    return response


def repository(request: HttpRequest, number: str) -> HttpResponse:
    """One provider: what it is, how its harvests went, what is wrong with its records."""
    try:
        listing = directory.listing(number)
    except Repository.DoesNotExist as error:
        raise Http404(number) from error
    return render(
        request,
        "repositories/repository.html",
        {
            "listing": listing,
            "repository": listing.repository,
            "feeds": listing.feeds,
            "harvests": directory.latest_harvests(listing.repository),
            "groups": [_group(each) for each in directory.findings(listing.repository)],
        },
    )


def _group(found: RuleIssues) -> tuple[RuleIssues, str, list[DescribedIssue]]:
    """One rule's findings, the word for its severity, and the examples with their sentences."""
    return found, severity_names().get(found.severity, found.severity), described_issues(found.examples)


def _as_json(listing: Listing) -> dict[str, Any]:
    each = listing.repository
    return {
        "number": each.number,
        "name": each.name,
        "name_yomi": each.name_yomi,
        "name_en": each.name_en,
        "kind": each.kind,
        "state": each.state,
        "state_reason": each.state_reason,
        "home_page": each.home_page,
        "licence": each.licence,
        "protocols": [feed.protocol for feed in listing.feeds],
        "formats": listing.formats,
        "records": listing.records,
        "issues": listing.issues,
        "last_harvest": _harvest(listing.last) if listing.last else None,
    }


def _flat(values: dict[str, Any]) -> list[object]:
    """One line of the table: several values in one cell, of the last harvest how and when it ended."""
    last = values["last_harvest"] or {}
    ended = {"last_harvest_state": last.get("state", ""), "last_harvest_finished": last.get("finished") or ""}
    cells = {**values, **ended}
    return ["; ".join(dict.fromkeys(each)) if isinstance(each, list) else each for each in map(cells.get, COLUMNS)]


def _harvest(run: Harvest) -> dict[str, object]:
    return {
        "id": run.pk,
        "state": run.state,
        "code": run.code,
        "started": run.started_at,
        "finished": run.finished_at,
        **{name: getattr(run, name) for name in ("received", "created", "updated", "unchanged", "deleted", "rejected")},
    }
