"""Staff's pages about asking libraries for availability: all of them with their health, and the settings of one."""

import re

from django.contrib import messages
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from aggregator.availability.failures import explain
from aggregator.availability.health import AdapterHealth, adapter_health
from aggregator.availability.inquiries import Reply
from aggregator.availability.trial import Trial, try_with
from aggregator.libraries import numbers
from aggregator.libraries.numbers import library_pk
from aggregator.models import BOOK_ID, AvailabilityAdapter, Library
from aggregator.presentation.availability import shown
from aggregator.query.library_numbers import library_numbers
from aggregator.query.parameters import BadParameter
from aggregator.views.libraries.adapter_form import AdapterForm, adapter_form
from harvesting.accounts.access import for_staff
from harvesting.audit.trail import note

MOST = 500  # libraries on the page
HEALTH = {
    AdapterHealth.OFF: ("", gettext_lazy("not asked")),
    AdapterHealth.UNTRIED: ("", gettext_lazy("not asked so far")),
    AdapterHealth.ANSWERS: ("green", gettext_lazy("answers")),
    AdapterHealth.FAILS: ("amber", gettext_lazy("fails")),
    AdapterHealth.PAUSED: ("red", gettext_lazy("paused after failures")),
}


@require_safe
@for_staff
def adapters(request: HttpRequest) -> HttpResponse:
    """List the libraries that can be asked, those that fail first; `?library=` leads to the settings of any library."""
    problem = ""
    if text := request.GET.get("library", "").strip():
        try:
            (number,) = library_numbers("library", [text])
            return redirect("manage_library_availability", number)
        except BadParameter as error:
            problem = error.reason
    rows = AvailabilityAdapter.objects.select_related("library").order_by(
        "-failures", F("failed_at").desc(nulls_last=True)
    )
    context = {"rows": [health(row) for row in rows[:MOST]], "text": text, "problem": problem}
    return render(request, "manage/libraries/availability_list.html", context, status=400 if problem else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def adapter(request: HttpRequest, library_number: str) -> HttpResponse:
    """Show and store the settings of one library. The button “try” asks about a book by what the form says now."""
    found = get_object_or_404(Library.objects.current(), pk=library_pk(library_number))
    form = adapter_form(found, request.POST or None)
    context = {"library": found, "number": library_number, "form": form, "book": request.POST.get("book", "")}
    if request.method == "POST" and form.is_valid():
        if "try" not in request.POST:
            _store(request, form)
            return redirect("manage_library_availability", library_number)
        context |= _tried(form, request.POST.get("book", ""))
    stored = AvailabilityAdapter.objects.filter(library=found).select_related("library").first()
    context["health"] = health(stored) if stored else None
    return render(request, "manage/libraries/availability.html", context, status=422 if form.errors else 200)


def health(row: AvailabilityAdapter) -> dict[str, object]:
    """Return how asking a library has gone, for a page: the colour of its state, and the last failure in words."""
    state = adapter_health(row, timezone.now())
    colour, word = HEALTH[state]
    paused = state is AdapterHealth.PAUSED
    number = numbers.library_number(row.library_id)
    return {
        "row": row,
        "number": number,
        "colour": colour,
        "word": word,
        "paused": paused,
        "failure": explain(row.failure, row.facts),
    }


def _store(request: HttpRequest, form: AdapterForm) -> None:
    with transaction.atomic():
        row = form.save()
        details = {"kind": row.kind, "address": row.address, **row.declared}
        note(request.user, "library.availability", row.library, details=details)
    messages.success(request, _("Saved."))


def _tried(form: AdapterForm, book: str) -> dict[str, object]:
    """Return the context of a trial: what was asked and what it means."""
    if book and not re.fullmatch(BOOK_ID, book):
        return {"book_error": _("The number of a book is M and digits, as in its address.")}
    row = form.draft()
    trial = try_with(row, int(book[1:])) if book else try_with(row)
    return {"trial": trial, "answer": _words(trial)}


def _words(trial: Trial) -> object:
    return shown(Reply(trial.availability, timezone.now())) if trial.url and not trial.code else None
