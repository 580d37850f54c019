"""The enrichment rules of a provider: the page about them, and their file. Nothing is changed here."""

from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, own_repository
from harvesting.enrichment.applying import progress_of
from harvesting.enrichment.forms import ImportForm, kind_of
from harvesting.enrichment.versions import EMPTY, in_use
from harvesting.enrichment.wording import KINDS, effect, stated
from harvesting.models import EnrichmentRules, Repository
from metadata.enrichment.documents import trusted_rules
from metadata.enrichment.rules import AnyRule
from metadata.vocabularies.licences import conditions_of

VERSIONS = 50  # on the page


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule in words. at: its place in the set, from 0."""

    at: int
    name: str
    kind: str
    effect: str
    conditions: tuple[str, ...]


def lines_of(rules: tuple[AnyRule, ...]) -> list[RuleLine]:
    """Return rules in words, in their order."""
    return [
        RuleLine(at, rule.name, str(KINDS[kind_of(rule)]), effect(rule), tuple(map(stated, rule.conditions)))
        for at, rule in enumerate(rules)
    ]


@require_safe
@for_librarians
def enrichment(request: HttpRequest, number: str) -> HttpResponse:
    """The rules in use, what can be done with them, and their earlier versions. JSON for the script of the page."""
    repository = own_repository(request, number)
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        current = in_use(repository)
        progress = progress_of(current) if current else None
        state = str(progress.records) if progress else ""
        return JsonResponse({"state": state, "over": progress is None or not progress.is_open})
    return page(request, repository, ImportForm(label_suffix=""))


def page(request: HttpRequest, repository: Repository, import_form: ImportForm, status: int = 200) -> HttpResponse:
    """Return the page of a provider's rules."""
    current = in_use(repository)
    stored = EnrichmentRules.objects.filter(repository=repository).order_by("-version")[:VERSIONS]
    context: dict[str, Any] = {
        "repository": repository,
        "current": current,
        "rules": lines_of(trusted_rules(current.rules)) if current else [],
        "versions": [(row, len(row.rules["rules"])) for row in stored],
        "progress": progress_of(current) if current else None,
        "kinds": KINDS.items(),
        "only_unchanged": "nd" in conditions_of(repository.licence),
        "import_form": import_form,
    }
    return render(request, "manage/enrichment/page.html", context, status=status)


@require_safe
@for_librarians
def enrichment_file(request: HttpRequest, number: str) -> HttpResponse:
    """The rules in use as JSON, or those of ?version=, to be used for another provider."""
    repository = own_repository(request, number)
    wanted = request.GET.get("version", "")
    if wanted and not (wanted.isdecimal() and len(wanted) < 9):
        raise Http404(wanted)
    rows = EnrichmentRules.objects.filter(repository=repository)
    stored = get_object_or_404(rows, version=int(wanted)) if wanted else in_use(repository)
    body = msgspec.json.format(msgspec.json.encode(stored.rules if stored else EMPTY), indent=1)
    response = HttpResponse(body, "application/json")
    response["Content-Disposition"] = f'attachment; filename="enrichment-{number}.json"'
    return response
