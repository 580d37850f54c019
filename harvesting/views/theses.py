"""The pages about doctoral theses: numbers by provider, a filtered list, files, and that a file was handed over."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from harvesting.accounts.access import (
    chosen_repositories,
    for_librarians,
    for_staff,
    own_repository,
    repositories_of,
    role_of,
)
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.doi import verdicts
from harvesting.models import DoctoralThesis, Repository
from harvesting.theses import lists
from harvesting.views.doi.files import XML, pieces
from harvesting.views.query_string import changed_query
from metadata.catalogue import RULES, general_sentence
from metadata.deposits.theses import write

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

State = DoctoralThesis.State


@dataclass(frozen=True, slots=True)
class Numbers:
    """The theses of a provider. by_state: in the order of the states."""

    repository: Repository
    by_state: tuple[tuple[str, "StrOrPromise", int], ...]


class ListForm(forms.Form):
    """The conditions of a list."""

    repository = forms.CharField(label=_("Provider"), max_length=10, required=False)
    state = forms.ChoiceField(label=_("State"), choices=[("", _("all")), *State.choices], required=False)
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)


@require_safe
@for_librarians
def theses(request: HttpRequest) -> HttpResponse:
    """The user's providers with the numbers of their theses by state."""
    own = repositories_of(request.user)
    found = lists.counts(list(own.values_list("pk", flat=True)))
    repositories = own.in_bulk(list(found))
    table = [
        Numbers(repositories[pk], tuple((state, label, found[pk][state]) for state, label in State.choices))
        for pk in sorted(found)
    ]
    gone = verdicts.gone(DoctoralThesis, own).count()
    return render(request, "manage/theses/all.html", {"table": table, "states": State.choices, "gone": gone})


@require_safe
@for_librarians
def thesis_list(request: HttpRequest) -> HttpResponse:
    """The theses that match the conditions; of one provider also what can be handed over."""
    form = ListForm(request.GET)
    if not form.is_valid():
        return render(request, "manage/theses/list.html", {"form": form, "rows": ()}, status=400)
    repository, wanted = _chosen(request, form)
    rows, after = wanted.page(form.cleaned_data["after"] or 0)
    context = {
        "form": form,
        "repository": repository,
        "rows": [(line, _reasons(line.row, request.LANGUAGE_CODE)) for line in lists.lines(rows)],
        "next": changed_query(request, after=str(after)) if after else "",
        "file": changed_query(request, after=""),
        "ready": _ready(repository) if repository else 0,
        "gone": verdicts.gone(DoctoralThesis, [repository.pk]).count() if repository else 0,
        "shown": timezone.now(),
        "may_act": role_of(request.user) >= Role.STAFF,
    }
    return render(request, "manage/theses/list.html", context)


def _ready(repository: Repository) -> int:
    found = lists.counts([repository.pk]).get(repository.pk, Counter())
    return sum(found[state] for state in lists.READY) if repository.give_on else 0


def _chosen(request: HttpRequest, form: ListForm) -> tuple[Repository | None, lists.Wanted]:
    """Return the provider that a valid form names (or None), and the conditions. Raises Http404 for one of others."""
    data: Mapping[str, str] = form.cleaned_data
    repository, own = chosen_repositories(request, data["repository"])
    return repository, lists.Wanted(own, data["state"])


def _reasons(row: DoctoralThesis, language: str) -> list[tuple[str, str]]:
    """Return the rules that block a thesis, with their sentences."""
    return [(code, general_sentence(code, language)) for code in row.codes if code in RULES]


@require_safe
@for_librarians
def thesis_file(request: HttpRequest) -> HttpResponseBase:
    """The whole list as CSV."""
    form = ListForm(request.GET)
    if not form.is_valid():
        return thesis_list(request)
    repository, wanted = _chosen(request, form)
    today = f"{timezone.localdate():%Y-%m-%d}"
    name = "-".join(filter(None, ["theses", repository.number if repository else "", today]))
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return StreamingHttpResponse(lists.as_csv(wanted), "text/csv; charset=utf-8", headers=headers)


@require_safe
@for_librarians
def thesis_xml(request: HttpRequest, pk: int) -> HttpResponse:
    """The description with which a thesis would be handed over now."""
    row = get_object_or_404(DoctoralThesis.objects.filter(repository__in=repositories_of(request.user)), pk=pk)
    record = verdicts.live_records([row]).get(row.record_id or 0)
    if record is None:
        raise Http404(pk)
    headers = {"Content-Disposition": f'inline; filename="thesis-{pk}.xml"'}
    return HttpResponse(write(record), XML, headers=headers)


@require_safe
@for_librarians
def thesis_zip(request: HttpRequest, number: str) -> HttpResponseBase:
    """What is ready: the descriptions and a list of them."""
    repository = own_repository(request, number)
    packed = lists.zip_of(lists.ready_rows(repository.pk))
    headers = {"Content-Disposition": f'attachment; filename="theses-{number}.zip"'}
    return StreamingHttpResponse(pieces(packed), "application/zip", headers=headers)


@require_POST
@for_staff
def thesis_act(request: HttpRequest, number: str) -> HttpResponse:
    """Carry out one act, and return to the list of the provider."""
    repository = own_repository(request, number)
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise Http404(number)
    with transaction.atomic():
        done = act(request, repository)
        note(request.user, f"theses.{request.POST['act']}", repository, details={"records": done})
    text = ngettext("%(count)s thesis was concerned.", "%(count)s theses were concerned.", done)
    messages.success(request, text % {"count": done})
    return redirect(f"{reverse('thesis_list')}?repository={number}")


def _handed_over(request: HttpRequest, repository: Repository) -> int:
    """Mark what was ready when the page was shown, and has not changed since."""
    shown = parse_datetime(request.POST.get("shown", "")) or timezone.now()
    rows = lists.ready_rows(repository.pk)
    return lists.mark_handed_over([row for row in rows if row.checked_at and row.checked_at <= shown])


def _settled(_request: HttpRequest, repository: Repository) -> int:
    return verdicts.settle(DoctoralThesis, repository.pk)


_ACTS: dict[str, Callable[[HttpRequest, Repository], int]] = {"handed_over": _handed_over, "settled": _settled}
