"""The list of libraries for librarians and staff: search, filters, paging."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from aggregator.libraries.editing.permitted import permitted_libraries
from aggregator.libraries.editing.selection import CONDITIONS, narrow, search
from aggregator.libraries.numbers import library_number
from aggregator.views.libraries.wording import place_text
from harvesting.accounts.access import for_librarians, role_of
from harvesting.accounts.ranks import Role
from harvesting.views.query_string import changed_query

PAGE = 50
LABELS = {
    "": gettext_lazy("All"),
    "no-region": gettext_lazy("Without a region"),
    "no-code": gettext_lazy("Without a code"),
    "records": gettext_lazy("From records only"),
    "edited": gettext_lazy("Edited by people"),
    "closed": gettext_lazy("Closed"),
    "merged": gettext_lazy("Merged into others"),
}


@require_safe
@for_librarians
def libraries(request: HttpRequest) -> HttpResponse:
    """List the libraries that this person may see, those with most books first."""
    wanted, condition = request.GET.get("q", "").strip()[:200], request.GET.get("show", "")
    if condition not in CONDITIONS:
        condition = ""
    found = narrow(search(permitted_libraries(request.user), wanted), condition)
    ordered = found.select_related("merged_into", "parent").prefetch_related("codes").order_by("-holdings", "pk")
    page = Paginator(ordered, PAGE).get_page(request.GET.get("page"))
    rows = [(library, library_number(library.pk), _place(library.prefecture, library.municipality)) for library in page]
    context = {
        "page": page,
        "rows": rows,
        "wanted": wanted,
        "condition": condition,
        "conditions": [(key, label, changed_query(request, show=key, page="")) for key, label in LABELS.items()],
        "previous": changed_query(request, page=str(page.number - 1)),
        "next": changed_query(request, page=str(page.number + 1)),
        "is_staff": role_of(request.user) >= Role.STAFF,
    }
    return render(request, "manage/libraries/list.html", context)


def _place(prefecture: str, municipality: str) -> str:
    """The prefecture, and the municipality if it has a name."""
    parts = [place_text(code) for code in (prefecture, municipality) if code]
    return " ".join(dict.fromkeys(parts))
