"""The page on which staff merge a library into another, after a preview, and the button that undoes it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from aggregator.libraries.editing.changes import ChangedMeanwhile
from aggregator.libraries.editing.form import label_of, library_named
from aggregator.libraries.editing.merge_plan import Choice, choices
from aggregator.libraries.editing.merging import COUNTED, MergeRefused, held_by_both, merge, seen_of, side_of, undo
from aggregator.libraries.numbers import library_number as number_of
from aggregator.libraries.numbers import library_pk
from aggregator.models import Library
from aggregator.views.libraries.wording import SCHEMES, value_text
from core.http.row_ids import row_id
from harvesting.accounts.access import for_staff

_ALSO = {"prefecture": ("municipality",), "latitude": ("longitude",)}  # first field of a choice -> its others


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def merge_page(request: HttpRequest, library_number: str) -> HttpResponse:
    """Compare a library, which would stay, with another one; a POST merges that one into it."""
    into = get_object_or_404(Library.objects.current(), pk=library_pk(library_number))
    given = request.POST if request.method == "POST" else request.GET
    text = given.get("with", "").strip()[:200]
    library = library_named(text) if text else None
    if library is None or library.pk == into.pk:
        problem = _("Enter the number or code of another library.") if text else ""
        return _page(request, into, None, problem=problem, status=422 if text else 200)
    if request.method != "POST":
        return _page(request, into, library)
    try:
        merge(library.pk, into.pk, request.POST.get("seen", ""), _taken(request), request.user)
    except ChangedMeanwhile:
        problem = _("Someone else has changed one of the two meanwhile. This is how they are now.")
        return _page(request, into, library, problem=problem, status=409)
    except MergeRefused as error:
        return _page(request, into, library, problem=str(error), status=422)
    messages.success(request, _("The libraries have been merged. The holdings are moved within minutes."))
    return redirect("manage_library", number_of(into.pk))


@require_POST
@for_staff
def unmerge(request: HttpRequest, library_number: str) -> HttpResponse:
    """Undo a merging."""
    text = request.POST.get("merge", "")
    try:
        undone = undo(row_id(text), request.user)
    except MergeRefused as error:
        messages.error(request, str(error))
        return redirect("manage_library", library_number)
    messages.success(request, _("The merging has been undone. The holdings are moved back within minutes."))
    return redirect("manage_library", number_of(undone.library_id))


def _page(
    request: HttpRequest, into: Library, library: Library | None, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {"into": into, "number": number_of(into.pk), "problem": problem, "library": library}
    if library:
        both = held_by_both(library, into)
        offered = choices(side_of(into), side_of(library))
        taken = _taken(request) if request.method == "POST" else None
        context |= {
            "other_number": number_of(library.pk),
            "sides": [(row, number_of(row.pk), _codes(row), row is into) for row in (into, library)],
            "both": both if both <= COUNTED else COUNTED,
            "more": both > COUNTED,
            "seen": seen_of(library, into),
            "choices": [_shown(choice, taken) for choice in offered],
            "branches": library.branches.count(),
        }
    return render(request, "manage/libraries/merge.html", context, status=status)


def _taken(request: HttpRequest) -> list[str]:
    """The names of the choices for which the value of the merged library was chosen."""
    return [str(request.POST[name]) for name in request.POST if name.startswith("keep-") and request.POST[name]]


def _shown(choice: Choice, taken: list[str] | None) -> dict[str, object]:
    """A choice in words. taken: the result of `_taken`, None on the first view."""
    names = (choice.name, *_ALSO.get(choice.name, ()))
    return {
        "name": choice.name,
        "label": " · ".join(map(label_of, names)),
        "kept": " · ".join(map(value_text, names, choice.kept)),
        "merged": " · ".join(map(value_text, names, choice.merged)),
        "takes": choice.takes if taken is None else choice.name in taken,
    }


def _codes(library: Library) -> list[tuple[object, str]]:
    rows = library.codes.order_by("scheme", "value").values_list("scheme", "value")[:20]
    return [(SCHEMES.get(scheme, scheme), value) for scheme, value in rows]
