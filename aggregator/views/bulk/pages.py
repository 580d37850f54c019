"""Bulk actions: asking for one, its page (what will happen, progress, result), and the list of past ones."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from aggregator.bulk.table import ACTIONS
from core.http.row_ids import row_id
from harvesting.accounts.access import for_librarians, role_of
from harvesting.accounts.ranks import Role
from harvesting.bulk import running
from harvesting.bulk.base import Action
from harvesting.models import BulkAction, Harvest
from harvesting.views.going_back import page_before

PAGE = 50
LONGEST = 4000  # characters of a filter
State = BulkAction.State


@require_safe
@for_librarians
def bulk_list(request: HttpRequest) -> HttpResponse:
    """The bulk actions that can still be undone, and those before; for librarians their own."""
    rows = _visible(request).exclude(state=State.COUNTING).select_related("repository")
    if before := row_id(request.GET.get("before", "")):
        rows = rows.filter(pk__lt=before)
    shown = list(rows[: PAGE + 1])
    context = {
        "rows": [(row, ACTIONS[row.action]) for row in shown[:PAGE] if row.action in ACTIONS],
        "older": shown[PAGE - 1].pk if len(shown) > PAGE else 0,
    }
    return render(request, "manage/bulk/list.html", context)


@require_POST
@for_librarians
def bulk_new(request: HttpRequest) -> HttpResponse:
    """Begin a bulk action: count its rows, and show what will happen. Nothing is changed yet.

    POST: action; query: the filter; scope: "all" for all rows of the filter, else those selected one by one (row).
    """
    action = _action(request, request.POST.get("action", ""))
    chosen = [pk for pk in map(row_id, request.POST.getlist("row")) if pk]
    if request.POST.get("scope") != "all" and not chosen:
        messages.warning(request, _("Select at least one row, or choose all rows of the list."))
        return redirect(page_before(request, reverse(action.target.page)))
    whole = request.POST.get("scope") == "all"
    query = request.POST.get("query", "")[:LONGEST]
    bulk = running.prepare(action, request.user, query if whole else "", () if whole else chosen)
    return redirect("bulk", bulk.pk)


@require_safe
@for_librarians
def bulk(request: HttpRequest, pk: int) -> HttpResponse:
    """One bulk action: what will happen, how far it is, what it did. JSON for the script of the page."""
    row = get_object_or_404(_visible(request), pk=pk)
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        state = f"{row.state} {row.position}"
        return JsonResponse({"state": state, "over": row.state not in BulkAction.AT_WORK})
    action = ACTIONS.get(row.action)
    if action is None:
        raise Http404(row.action)
    return _page(request, row, action, action.form(label_suffix=""))


@require_POST
@for_librarians
def bulk_act(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm, stop, discard, undo or retry an action."""
    row = get_object_or_404(_visible(request), pk=pk)
    action, wanted = _action(request, row.action), request.POST.get("do", "")
    if wanted == "confirm":
        return _confirm(request, row, action)
    if wanted == "stop":
        waits = row.state in (State.COUNTING, State.READY)
        running.stop(row, request.user)
        return redirect(_source(row, action) if waits else reverse("bulk", args=[pk]))
    if wanted == "undo":
        if not running.begin_undoing(row, action, request.user):
            messages.warning(request, _("This action can no longer be undone."))
    elif wanted == "retry":
        running.retry(row)
    else:
        raise Http404(wanted)
    return redirect("bulk", pk)


def _confirm(request: HttpRequest, row: BulkAction, action: Action) -> HttpResponse:
    form = action.form(request.POST, label_suffix="")
    if row.person_id != request.user.pk:  # it is carried out with the permissions of the person who confirms it
        raise Http404(row.pk)
    if not form.is_valid():
        return _page(request, row, action, form, status=422)
    if not running.confirm(row, action, request.user, form.cleaned_data):
        messages.warning(request, _("This action does not wait for confirmation any more."))
    return redirect("bulk", row.pk)


def _page(request: HttpRequest, row: BulkAction, action: Action, form: Any, status: int = 200) -> HttpResponse:
    context = {
        "row": row,
        "action": action,
        "form": form,
        "filter": _filter_words(row, action),
        "source": _source(row, action),
        "said": _parameter_words(row, action),
        "examples": () if row.state == State.COUNTING else running.examples(row, action, request.user),
        "at_work": row.state in BulkAction.AT_WORK,
        "waits": row.state == State.READY,
        "unconcerned": row.matched - row.applicable,
        "share": _share(row),
        "can_undo": running.can_be_undone(row, action),
        "undo_until": row.ended_at + running.UNDO_FOR if row.ended_at else None,
        "runs": list(Harvest.objects.filter(pk__in=row.runs, recheck__isnull=False).order_by("pk")),
        "is_own": row.person_id == request.user.pk,
    }
    return render(request, "manage/bulk/page.html", context, status=status)


def _share(row: BulkAction) -> float:
    """How far the work is, 0 to 1."""
    if row.state == State.UNDOING:
        return (row.undone + row.left) / row.done if row.done else 1.0
    if row.state == State.RUNNING and row.applicable:
        return min((row.done + row.skipped) / row.applicable, 1.0)
    return row.position / row.last if row.last else 1.0


def _filter_words(row: BulkAction, action: Action) -> list[tuple[str, str]]:
    """The conditions of the filter: label and value."""
    fields = action.target.filter_form().fields
    words = []
    for name, value in QueryDict(row.query).items():
        if value and name not in ("after", "page"):
            field = fields.get(name)
            choices = dict(getattr(field, "choices", ()) or ())
            said = str(choices[value]) if value in choices else action.target.say(name, str(value))
            words.append((str(field.label) if field else name, said))
    return words


def _parameter_words(row: BulkAction, action: Action) -> list[tuple[str, str]]:
    """What the person said in the form of the action: label and value."""
    words = []
    for name, field in action.form().fields.items():
        value = row.parameters.get(name, "")
        if value not in ("", None):
            shown = _("yes") if value is True else _("no") if value is False else value
            choices = dict(getattr(field, "choices", ()) or ())
            words.append((str(field.label), str(choices.get(value, shown))))
    return words


def _source(row: BulkAction, action: Action) -> str:
    """The address of the list that the action was asked for on."""
    page = reverse(action.target.page)
    return f"{page}?{row.query}" if row.query else page


def _visible(request: HttpRequest) -> QuerySet[BulkAction]:
    """The actions that this person may see: their own; for staff all."""
    rows = BulkAction.objects.all()
    return rows if role_of(request.user) >= Role.STAFF else rows.filter(person=request.user.pk)


def _action(request: HttpRequest, name: str) -> Action:
    """The action of this name; Http404 if there is none for this person."""
    action = ACTIONS.get(name)
    if action is None or role_of(request.user) < action.least:
        raise Http404(name)
    return action
