"""The page that explains why records are grouped. Readers may say there whether two records are the same book.

The reasons come from `aggregator.grouping.inspection.reasons`, the words from `presentation.comparisons`.
"""

from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Description, Gone, descriptions
from aggregator.grouping.inspection.reasons import explain_group
from aggregator.matching.reasons import Way
from aggregator.presentation.comparisons import Companion, Comparison, Known, companion, compared
from aggregator.presentation.error_report_form import LONGEST_REMARK, Pair, ReadersWordForm, stamp_pair
from aggregator.review.queue import similar_records
from aggregator.review.readers_words import sender, store_word
from aggregator.views.public.books import absent, gone_page
from aggregator.views.public.error_report import has_room
from harvesting.models import SourceRecord

BETWEEN = "."  # separates two public ids in an address; no public id contains it


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a reader's comment. problem: "" if it was stored.

    pair: None if the form's stamp, a signed value, is invalid.
    """

    pair: Pair | None
    problem: str = ""
    remark: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class Compared:
    """A record listed on the page, compared with the record that it is connected with or similar to.

    companion: its connection with the group; None for a similar record outside. stamp: signed value of the form
    about the two records. answer: to this form, if it was just sent. copies: further records with the same description.
    """

    description: Description
    comparison: Comparison
    companion: Companion | None
    stamp: str
    answer: Answer | None
    copies: int = 0


@never_cache  # the forms carry a time stamp
@require_http_methods(["GET", "HEAD", "POST"])
def why(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show how the records of one book are connected, and similar records kept apart; store what a reader says."""
    try:
        book = catalogue.find_book(public_id)
    except SourceRecord.DoesNotExist as error:
        return absent(request, error)
    except Gone as gone:
        return gone_page(request, gone)
    if request.method != "POST":
        return _page(request, book, public_id, _sent(request))
    form = ReadersWordForm(request.POST)
    answer = Answer(form.pair) if form.is_trap else _take(request, form)
    return _page(request, book, public_id, answer) if answer.problem else _thanks(public_id, answer)


def _take(request: HttpRequest, form: ReadersWordForm) -> Answer:
    """Store the comment of a reader; the answer says what was wrong if it was refused."""
    pair, remark = form.pair, request.POST.get("remark", "")[:LONGEST_REMARK]
    if pair is None or not form.is_valid():
        return Answer(pair, form.problem, remark, 400)
    if not has_room(request):
        text = _("Too many reports are coming in at the moment. Please try again in an hour.")
        return Answer(pair, text, remark, 429)
    digest = sender(request.META.get("CSRF_COOKIE") or "", pair)
    if store_word(pair, form.cleaned_data["word"], form.cleaned_data["remark"], digest):
        return Answer(pair)
    return Answer(pair, _("One of the two records is no longer in the catalogue."), remark, 409)


def _thanks(public_id: str, answer: Answer) -> HttpResponse:
    query = urlencode({"sent": BETWEEN.join(answer.pair or ())})
    return redirect(f"{reverse('why', args=[public_id])}?{query}#answer")


def _sent(request: HttpRequest) -> Answer | None:
    """Return the comment that the address, after a redirect, says was sent: its form is replaced by thanks.

    Anybody may write such an address; it has no other effect.
    """
    first, _between, second = request.GET.get("sent", "").partition(BETWEEN)
    return Answer((first, second)) if "sent" in request.GET else None


def _page(request: HttpRequest, book: Book, public_id: str, answer: Answer | None) -> HttpResponse:
    found = explain_group(book, public_id)
    others = similar_records(book)
    steps = [step for way in found.others for step in way.steps] + [step for step, _other in others]
    named = {name for step in steps for name in (step.first, step.second)}
    known = {one.public_id: one for one in descriptions(member for member in book.members if member.public_id in named)}
    grouped = [companion(way, known) for way in found.others if _is_public(way, known)]
    companions = [
        replace(_compared(one.description, one.direct, answer, one), copies=found.copies[one.description.public_id])
        for one in grouped
    ]
    similar = [_compared(other, compared(step, {**known, other.public_id: other}), answer) for step, other in others]
    context = {
        "book": book,
        "record": book.record,
        "public_id": public_id,
        "start": found.start,
        "companions": companions,
        "similar": similar,
        "left_out": found.left_out,
        "answer": answer if not any(entry.answer for entry in (*companions, *similar)) else None,
    }
    return render(request, "books/why.html", context, status=answer.status if answer else 200)


def _is_public(way: Way, known: Known) -> bool:
    """Return whether all records on the way (the chain of pairs that connects two records) are still public."""
    return all(name in known for step in way.steps for name in (step.first, step.second))


def _compared(
    description: Description, comparison: Comparison, answer: Answer | None, of_group: Companion | None = None
) -> Compared:
    first, second = sorted((comparison.first.public_id, comparison.second.public_id))
    own = answer if answer and answer.pair == (first, second) else None
    return Compared(description, comparison, of_group, stamp_pair(first, second), own)
