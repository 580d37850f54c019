"""The public pages about providers. States and counts come from `aggregator.catalogue.providers`."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from aggregator.catalogue import providers as directory
from aggregator.catalogue.providers import Listing, RuleIssues
from aggregator.live.report import PublicState, public_states
from aggregator.presentation.issues import DescribedIssue, described_issues, severity_names
from aggregator.statistics.of_one import of_provider
from core.spreadsheet import as_csv
from harvesting.models import Harvest, Repository
from harvesting.runs.results import result_of

COLUMNS = (
    *("number", "name", "name_yomi", "name_en", "kind", "state", "state_reason", "home_page", "licence", "protocols"),
    *("formats", "records", "issues", "last_harvest_state", "last_harvest_finished"),
)


def repository_list(request: HttpRequest) -> HttpResponse:
    """List the providers that are live or paused."""
    listings = directory.listings()
    return render(request, "repositories/list.html", {"listings": listings, "live_states": _live_states(listings)})


def repository_json(_request: HttpRequest) -> JsonResponse:
    """Return the list of providers as JSON, for programs."""
    entries = [_as_json(listing) for listing in directory.listings()]
    return JsonResponse({"repositories": entries}, json_dumps_params={"ensure_ascii": False})


def repository_csv(_request: HttpRequest) -> HttpResponse:
    """Return the list of providers as CSV, for spreadsheets."""
    rows = [_flat(_as_json(listing)) for listing in directory.listings()]
    response = HttpResponse(as_csv(COLUMNS, rows), "text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="repositories.csv"'
    return response


def repository(request: HttpRequest, number: str) -> HttpResponse:
    """Show one provider: who it is, how its harvests went, and the issues of its records."""
    try:
        listing = directory.listing(number)
    except Repository.DoesNotExist as error:
        raise Http404(number) from error
    return render(
        request,
        "repositories/repository.html",
        {
            "listing": listing,
            "live_states": _live_states([listing]),
            "repository": listing.repository,
            "feeds": listing.feeds,
            "statistics": of_provider(listing.repository),
            "harvests": directory.latest_harvests(listing.repository),
            "groups": [_group(rule_issues) for rule_issues in directory.issues_by_rule(listing.repository)],
        },
    )


def _live_states(listings: list[Listing]) -> dict[str, PublicState]:
    """Return number -> state of the live sources among these providers. One query if there are any."""
    live = [listing.repository for listing in listings if listing.is_live]
    return public_states(live, timezone.now()) if live else {}


def _group(rule_issues: RuleIssues) -> tuple[RuleIssues, str, list[DescribedIssue]]:
    """Return the issues of one rule, the word for its severity, and the examples with their sentences."""
    return (
        rule_issues,
        severity_names().get(rule_issues.severity, rule_issues.severity),
        described_issues(rule_issues.examples),
    )


def _as_json(listing: Listing) -> dict[str, Any]:
    provider = listing.repository
    return {
        "number": provider.number,
        "name": provider.name,
        "name_yomi": provider.name_yomi,
        "name_en": provider.name_en,
        "kind": provider.kind,
        "state": provider.state,
        "state_reason": provider.state_reason,
        "home_page": provider.home_page,
        "licence": provider.licence,
        "protocols": [feed.protocol for feed in listing.feeds],
        "formats": listing.formats,
        "records": listing.records,
        "issues": listing.issues,
        "last_harvest": _harvest(listing.last) if listing.last else None,
    }


def _flat(values: dict[str, Any]) -> list[object]:
    """Return one line of the table: several values in one cell, and the end of the last harvest in two columns."""
    last = values["last_harvest"] or {}
    ended = {"last_harvest_state": last.get("state", ""), "last_harvest_finished": last.get("finished") or ""}
    cells = {**values, **ended}
    return ["; ".join(dict.fromkeys(cell)) if isinstance(cell, list) else cell for cell in map(cells.get, COLUMNS)]


def _harvest(run: Harvest) -> dict[str, object]:
    return {
        "id": run.pk,
        "state": run.state,
        "result": result_of(run),
        "code": run.code,
        "started": run.started_at,
        "finished": run.finished_at,
        **{name: getattr(run, name) for name in ("received", "created", "updated", "unchanged", "deleted", "rejected")},
    }
