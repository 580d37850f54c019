"""The pages about records for librarians and staff: finding a record, and everything about it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from aggregator.catalogue import books, record_search
from aggregator.catalogue.books import descriptions
from aggregator.catalogue.record_history import history_of
from aggregator.presentation.fields import source_rows
from aggregator.presentation.licences import shown_licences
from aggregator.provision.licences import abouts, licences_of
from aggregator.provision.taken.harvesters import harvesters_of
from aggregator.provision.taken.recording import KEPT
from core.http.row_ids import row_id
from harvesting.accounts.access import for_librarians, repositories_of
from harvesting.doi.receivers import receivers
from harvesting.issues import counts
from harvesting.issues.filters import ReasonForm
from harvesting.models import SourceRecord
from harvesting.records.lists import RecordFilterForm, records_after
from harvesting.records.tombstones import KEPT_FOR
from harvesting.views.audit_wording import word_entries
from harvesting.views.query_string import changed_query
from metadata.about import NOTHING

LONGEST = 1000  # characters of a search
COMPANIONS = 20  # other records of the book


@require_safe
@for_librarians
def find(request: HttpRequest) -> HttpResponse:
    """Find records by identifier, id or ISBN, and list withheld ones; a single hit is shown at once."""
    text = request.GET.get("q", "")[:LONGEST]
    own = repositories_of(request.user)
    found = record_search.search_records(text, own)
    if len(found) == 1:
        return redirect("record", found[0].public_id)
    context = {
        "q": text,
        "found": [(source, books.describe(source)) for source in found],
        "most": record_search.MOST,
        "withheld": record_search.withheld_records(own),
    }
    return render(request, "manage/records/find.html", context)


@require_safe
@for_librarians
def record_list(request: HttpRequest) -> HttpResponse:
    """The records that match a filter, by id, PAGE at a time."""
    form = RecordFilterForm(request.GET)
    if not form.is_valid():
        return render(request, "manage/records/list.html", {"form": form, "rows": ()}, status=400)
    after = _number(request, "after")
    rows, end = records_after(form.matching(repositories_of(request.user)), after)
    context = {
        "form": form,
        "rows": [(source, books.describe(source)) for source in rows],
        "is_filtered": any(form.cleaned_data.values()),
        "next": changed_query(request, after=str(end)) if end else "",
        "first": changed_query(request, after="") if after else None,
        "query": changed_query(request, after=""),
    }
    return render(request, "manage/records/list.html", context)


@require_safe
@for_librarians
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one record: its issues, its payload, its fields, its versions, its group, and its history."""
    source = own_record(request, public_id)
    history = history_of(source, _number(request, "issue"), _number(request, "version"))
    about = abouts([source.pk]).get(source.pk, NOTHING)
    context = {
        "source": source,
        "repository": source.repository,
        "life": history,
        "licences": shown_licences(licences_of(about, source.repository.licence), are_own=bool(about.rights)),
        "record": history.described.record,
        "rows": source_rows(history.described.record, reverse("search")),
        "companions": descriptions([other for other in history.book.members if other.number != source.pk][:COMPANIONS])
        if history.book
        else [],
        "receivers": receivers(source, history.described.record, {issue.code for issue in history.issues}),
        "harvesters": harvesters_of(source.public_id),
        "taken_for": KEPT.days,
        "let_be": counts.ignored_rules(source.repository_id),
        "deeds": word_entries(history.actions),
        "restorable": bool(source.payload) and is_fresh(source),
        "suppression": getattr(source, "suppression", None) if source.suppressed_at else None,
        "reason": ReasonForm(),
    }
    return render(request, "manage/records/record.html", context)


def own_record(request: HttpRequest, public_id: str) -> SourceRecord:
    """Return the record of this id; Http404 if there is none or this person may not see it."""
    rows = SourceRecord.objects.filter(repository__in=repositories_of(request.user), public_id=public_id)
    source = rows.select_related("repository", "successor", "suppression", "member", "enriched").first()
    if source is None:
        raise Http404(public_id)
    return source


def is_fresh(source: SourceRecord) -> bool:
    """Return whether a deleted record can still be restored."""
    return bool(source.deleted and source.deleted_at and source.deleted_at > timezone.now() - KEPT_FOR)


def _number(request: HttpRequest, name: str) -> int:
    return row_id(request.GET.get(name, ""))
