"""The pages about records for librarians and staff: finding one, and all about it. Knows HTTP."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from aggregator.catalogue import books, record_search
from aggregator.catalogue.record_history import life_of
from aggregator.presentation.fields import rows
from harvesting.accounts.access import for_librarians, repositories_of
from harvesting.audit.trail import ACTIONS
from harvesting.issues import counts
from harvesting.issues.filters import ReasonForm
from harvesting.models import SourceRecord
from harvesting.records.tombstones import KEPT_FOR

LONGEST = 1000  # characters that are looked for


@require_safe
@for_librarians
def find(request: HttpRequest) -> HttpResponse:
    """Records by identifier, id or ISBN; one that is found alone is shown at once. And what is withheld."""
    text = request.GET.get("q", "")[:LONGEST]
    own = repositories_of(request.user)
    found = record_search.found(text, own)
    if len(found) == 1:
        return redirect("record", found[0].public_id)
    context = {
        "q": text,
        "found": [books.describe(each) for each in found],
        "most": record_search.MOST,
        "withheld": record_search.withheld(own),
    }
    return render(request, "manage/records/find.html", context)


@require_safe
@for_librarians
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """One record: what was found, what was sent, what was read, its versions, its group, what happened to it."""
    source = own_record(request, public_id)
    life = life_of(source, _number(request, "issue"), _number(request, "version"))
    context = {
        "source": source,
        "repository": source.repository,
        "life": life,
        "record": life.described.record,
        "rows": rows(life.described.record, reverse("search")),
        "companions": [each for each in life.book.descriptions if each.number != source.pk] if life.book else [],
        "let_be": counts.ignored_rules(source.repository_id),
        "deeds": [(each, ACTIONS.get(each.action, each.action)) for each in life.deeds],
        "restorable": bool(source.payload) and is_fresh(source),
        "suppression": getattr(source, "suppression", None) if source.suppressed_at else None,
        "reason": ReasonForm(),
    }
    return render(request, "manage/records/record.html", context)


def own_record(request: HttpRequest, public_id: str) -> SourceRecord:
    """The record of this id; Http404 if there is none or it is not hers."""
    rows = SourceRecord.objects.filter(repository__in=repositories_of(request.user), public_id=public_id)
    found = rows.select_related("repository", "successor", "suppression", "member").first()
    if found is None:
        raise Http404(public_id)
    return found


def is_fresh(source: SourceRecord) -> bool:
    """Whether a deleted record can still be brought back."""
    return bool(source.deleted and source.deleted_at and source.deleted_at > timezone.now() - KEPT_FOR)


def _number(request: HttpRequest, name: str) -> int:
    given = request.GET.get(name, "")
    return int(given) if given.isdecimal() and len(given) < 19 else 0
