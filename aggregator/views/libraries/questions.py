"""The page of questions about libraries that staff answer: one code under two names, and probable duplicates."""

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from aggregator.libraries.editing.duplicates import SAME_PLACE, SAME_PREFECTURE, UNKNOWN_PLACE, Pair
from aggregator.libraries.editing.questions import (
    ONE,
    TWO,
    NameQuestion,
    answer_names,
    answer_pair,
    answers,
    name_questions,
    names_of,
    pair_questions,
    take_back,
)
from aggregator.libraries.identify import one_line
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.models import Library
from aggregator.views.libraries.wording import place_text
from core.http.row_ids import row_id
from harvesting.accounts.access import for_staff
from harvesting.models import Repository

SHOWN = 25  # questions of each kind on the page
ANSWERS = 50  # answers of a page
REASONS = {
    SAME_PLACE: gettext_lazy("The same name in the same municipality."),
    SAME_PREFECTURE: gettext_lazy("The same name in the same prefecture."),
    UNKNOWN_PLACE: gettext_lazy("The same name; the place of one of them is not known."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def questions(request: HttpRequest) -> HttpResponse:
    """Show the questions; a POST answers one of them."""
    if request.method == "POST":
        return _answer(request)
    names, pairs = name_questions(), pair_questions()
    context = {
        "names": _shown_names(names[:SHOWN]),
        "pairs": _shown_pairs(pairs[:SHOWN]),
        "more_names": max(0, len(names) - SHOWN),
        "more_pairs": max(0, len(pairs) - SHOWN),
    }
    return render(request, "manage/libraries/questions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def past_answers(request: HttpRequest) -> HttpResponse:
    """List what staff have answered; a POST takes one answer back."""
    if request.method == "POST":
        take_back(get_object_or_404(answers(), pk=row_id(request.POST.get("answer", ""))), request.user)
        messages.success(request, _("The answer has been taken back. The question is asked again if it still arises."))
        return redirect("manage_libraries_answers")
    part = Paginator(answers(), ANSWERS).get_page(request.GET.get("page"))
    names = names_of(list(part))
    context = {"answers": [(answer, names[answer.pk]) for answer in part], "part": part}
    return render(request, "manage/libraries/answers.html", context)


def _answer(request: HttpRequest) -> HttpResponse:
    answer = request.POST.get("answer", "")
    library = get_object_or_404(Library.objects.current(), pk=library_pk(request.POST.get("library", "")))
    if answer in (ONE, TWO):
        names = [one_line(name) for name in request.POST.getlist("name")[:100]]
        answer_names(library, answer, names, request.user)
    elif answer == "not-one":
        other = get_object_or_404(Library.objects.current(), pk=library_pk(request.POST.get("other", "")))
        answer_pair(library, other, request.user)
    else:
        raise Http404(answer)
    messages.success(request, _("The answer has been recorded."))
    return redirect("manage_libraries_questions")


def _shown_names(asked: Sequence[NameQuestion]) -> list[dict[str, Any]]:
    libraries = _libraries({question.library for question in asked})
    keys = {key for question in asked for keys in question.names.values() for key in keys}
    providers = Repository.objects.in_bulk(keys)
    return [
        {
            "library": libraries[question.library],
            "number": library_number(question.library),
            "names": [(name, [providers[key] for key in keys]) for name, keys in question.names.items()],
        }
        for question in asked
    ]


def _shown_pairs(asked: Sequence[Pair]) -> list[dict[str, Any]]:
    libraries = _libraries({pk for pair in asked for pk in (pair.first, pair.second)})
    return [
        {
            "sides": [
                (libraries[pk], library_number(pk), place_text(libraries[pk].municipality or libraries[pk].prefecture))
                for pk in _with_most_books_first(pair, libraries)
            ],
            "reason": REASONS[pair.reason],
        }
        for pair in asked
    ]


def _with_most_books_first(pair: Pair, libraries: dict[int, Library]) -> list[int]:
    return sorted((pair.first, pair.second), key=lambda pk: -libraries[pk].holdings)


def _libraries(pks: Collection[int]) -> dict[int, Library]:
    return Library.objects.prefetch_related("codes").in_bulk(pks)
