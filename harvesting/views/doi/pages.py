"""The pages about DOIs: an overview of all providers, the DOIs of one provider, and a filtered list."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from harvesting.accounts.access import chosen_repositories, for_librarians, own_repository, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.doi import lists, verdicts
from harvesting.doi.wording import answer_text
from harvesting.models import DoiAgreement, DoiDelivery, Repository, RequestedDoi
from harvesting.views.query_string import changed_query
from metadata.catalogue import RULES, sentence
from metadata.deposits.kinds import AGENCIES, CROSSREF, JALC
from metadata.issue import Issue

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SHOWN_DELIVERIES = 30
State = RequestedDoi.State


@dataclass(frozen=True, slots=True)
class Line:
    """The DOIs of a provider at one agency. numbers: by state, in the order of the states."""

    repository: Repository
    agency: str
    numbers: tuple[tuple[str, "StrOrPromise", int], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A DOI in a list. reasons: codes of rules that block it, each with its sentence."""

    requested: RequestedDoi
    public_id: str
    identifier: str
    reasons: tuple[tuple[str, str], ...]
    answer: str


class ListForm(forms.Form):
    """The conditions of a list."""

    repository = forms.CharField(label=_("Provider"), max_length=10, required=False)
    agency = forms.ChoiceField(
        label=_("Agency"), choices=[("", _("all")), *((name, name) for name in AGENCIES)], required=False
    )
    state = forms.ChoiceField(label=_("State"), choices=[("", _("all")), *State.choices], required=False)
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)


@require_safe
@for_librarians
def dois(request: HttpRequest) -> HttpResponse:
    """The user's providers with the numbers of their DOIs by agency and state."""
    own = repositories_of(request.user)
    found = lists.counts(list(own.values_list("pk", flat=True)))
    repositories = own.in_bulk(list(found))
    table = [line for pk in sorted(found) for line in _lines(repositories[pk], found[pk])]
    gone = verdicts.gone(RequestedDoi, own).count()
    return render(request, "manage/doi/all.html", {"lines": table, "states": State.choices, "gone": gone})


@require_safe
@for_librarians
def provider_dois(request: HttpRequest, number: str) -> HttpResponse:
    """The DOIs of one provider: numbers, agreement, what can be handed over, deliveries."""
    repository = own_repository(request, number)
    found = lists.counts([repository.pk]).get(repository.pk, Counter())
    ready = {agency: sum(found[agency, state] for state in lists.READY) for agency in AGENCIES}
    deliveries = DoiDelivery.objects.filter(repository=repository).defer("document")[:SHOWN_DELIVERIES]
    context = {
        "repository": repository,
        "agreement": DoiAgreement.objects.filter(repository=repository).first(),
        "lines": _lines(repository, found),
        "states": State.choices,
        "ready": ready,
        "ready_in_all": sum(ready.values()),
        "handed_over": {agency: found[agency, State.SENT] for agency in (JALC, CROSSREF) if found[agency, State.SENT]},
        "gone": verdicts.gone(RequestedDoi, [repository.pk]).count(),
        "deliveries": [(delivery, answer_text(delivery.message)) for delivery in deliveries],
        "shown": timezone.now(),
        "may_act": role_of(request.user) >= Role.STAFF,
    }
    return render(request, "manage/doi/provider.html", context)


@require_safe
@for_librarians
def doi_list(request: HttpRequest) -> HttpResponse:
    """The DOIs that match the conditions."""
    form = ListForm(request.GET)
    if not form.is_valid():
        return render(request, "manage/doi/list.html", {"form": form, "rows": ()}, status=400)
    repository, wanted = chosen(request, form)
    rows, after = wanted.page(form.cleaned_data["after"] or 0)
    context = {
        "form": form,
        "repository": repository,
        "rows": worded(rows, request.LANGUAGE_CODE),
        "next": changed_query(request, after=str(after)) if after else "",
        "file": changed_query(request, after=""),
    }
    return render(request, "manage/doi/list.html", context)


def chosen(request: HttpRequest, form: ListForm) -> tuple[Repository | None, lists.Wanted]:
    """Return the provider that a valid form names (or None), and the conditions. Raises Http404 for one of others."""
    data: Mapping[str, str] = form.cleaned_data
    repository, own = chosen_repositories(request, data["repository"])
    return repository, lists.Wanted(own, data["agency"], data["state"])


def worded(rows: list[RequestedDoi], language: str) -> list[Row]:
    """Return DOIs with the names of their records and the sentences of the rules that block them."""
    names = lists.names_of(rows)
    return [
        Row(
            row,
            *names.get(row.record_id or 0, ("", "")),
            tuple((code, _reason(code, row.agency, language)) for code in row.codes if code in RULES),
            answer_text(row.message),
        )
        for row in rows
    ]


def _reason(code: str, agency: str, language: str) -> str:
    return sentence(Issue(code=code, field="…", value=agency, result="…"), language)


def _lines(repository: Repository, found: Counter[tuple[str, str]]) -> list[Line]:
    agencies = [agency for agency in AGENCIES if any(name == agency for name, _state in found)]
    return [
        Line(repository, agency, tuple((state, label, found[agency, state]) for state, label in State.choices))
        for agency in agencies
    ]
