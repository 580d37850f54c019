"""Actions on one record: withhold, show again, restore, fetch again, reread."""

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from aggregator.views.manage.records import own_record
from harvesting.accounts.access import for_librarians
from harvesting.audit.trail import note
from harvesting.issues.filters import ReasonForm
from harvesting.models import SourceRecord
from harvesting.records.suppression import release, suppress
from harvesting.records.tombstones import restore
from harvesting.views.issues.actions import ask_again, reread_records, reread_summary

type Action = Callable[[HttpRequest, SourceRecord], HttpResponse | None]


@require_POST
@for_librarians
def act(request: HttpRequest, public_id: str) -> HttpResponse:
    """Carry out the action that the button's value "do" names."""
    source = own_record(request, public_id)
    action = ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise Http404
    return action(request, source) or redirect("record", public_id)


def _suppress(request: HttpRequest, source: SourceRecord) -> None:
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return
    reason = form.cleaned_data["reason"]
    with transaction.atomic():
        if suppress(source, reason, request.user.get_username()):
            note(request.user, "record.suppressed", source, reason)
    messages.success(request, _("The record is withheld. Search, pages and redistribution follow within a minute."))


def _release(request: HttpRequest, source: SourceRecord) -> None:
    with transaction.atomic():
        if release(source):
            note(request.user, "record.released", source)
    messages.success(request, _("The record is public again. Search, pages and redistribution follow within a minute."))


def _restore(request: HttpRequest, source: SourceRecord) -> None:
    with transaction.atomic():
        done = restore(SourceRecord.objects.filter(pk=source.pk, deleted=True))
        if done:
            note(request.user, "record.restored", source)
    if done:
        messages.success(request, _("The record has been restored to its state before the deletion."))
    else:
        messages.warning(request, _("The record cannot be restored: it was deleted more than 90 days ago."))


def _ask(request: HttpRequest, source: SourceRecord) -> HttpResponse | None:
    runs = ask_again(request, source.repository, [source.pk])
    return redirect("issue_check", runs[0].pk) if runs else None


def _read(request: HttpRequest, source: SourceRecord) -> None:
    messages.success(request, reread_summary(reread_records(request, source.repository, [source.pk])))


ACTIONS: dict[str, Action] = {
    "suppress": _suppress,
    "release": _release,
    "restore": _restore,
    "ask": _ask,
    "read": _read,
}
