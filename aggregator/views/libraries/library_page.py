"""The page where librarians and staff change a library: its fields, its codes, what records say about it."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from aggregator.libraries.editing.changes import (
    ChangedMeanwhile,
    add,
    change,
    fingerprint,
    give_back,
    recorded_values,
)
from aggregator.libraries.editing.codes import CodeRefused, add_code, remove_code
from aggregator.libraries.editing.form import CodeForm, LibraryForm
from aggregator.libraries.editing.permitted import may_change, permitted_libraries, reporting_numbers
from aggregator.libraries.editing.sources import FIELDS, FROM_PROVIDERS, FROM_RECORDS, LIST, PEOPLE, source_of
from aggregator.libraries.numbers import library_number as number_of
from aggregator.libraries.numbers import library_pk
from aggregator.models import Library, LibraryMerge
from aggregator.views.libraries.wording import SCHEMES, SOURCES, value_text
from core.http.row_ids import row_id
from harvesting.accounts.access import for_librarians, for_staff, role_of
from harvesting.accounts.ranks import Role
from harvesting.models import Repository

MOST_CODES = 200  # on the page
GROUPS = (
    (gettext_lazy("Names and kind"), ("name", "reading", "name_en", "short_name", "kind", "parent")),
    (gettext_lazy("Location of the library"), ("prefecture", "municipality", "address", "latitude", "longitude")),
    (gettext_lazy("For visitors"), ("telephone", "hours", "closed_days", "closed_on")),
    (gettext_lazy("Links"), ("page", "link_template")),
    (gettext_lazy("Interlibrary loan"), ("lends", "ill_terms")),
    (gettext_lazy("Remarks"), ("remarks",)),
)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def library(request: HttpRequest, library_number: str) -> HttpResponse:
    """Show a library and its form. A POST changes its fields, lets records fill a field again, or changes its codes."""
    shown = get_object_or_404(
        permitted_libraries(request.user).select_related("parent", "merged_into"), pk=library_pk(library_number)
    )
    allowed = shown.merged_into_id is None and may_change(request.user, shown)
    if request.method != "POST":
        return _page(request, shown, allowed, LibraryForm(instance=shown))
    if not allowed:
        raise PermissionDenied
    part = request.POST.get("part", "")
    if part == "fields":
        return _save(request, shown)
    if part == "give-back":
        return _give_back(request, shown)
    if part not in ("code", "remove-code"):
        raise Http404(part)
    if role_of(request.user) < Role.STAFF:  # the codes decide which holdings a library gets
        raise PermissionDenied
    return _add_code(request, shown) if part == "code" else _remove_code(request, shown)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def library_new(request: HttpRequest) -> HttpResponse:
    """Add a library that no record has named so far."""
    form = LibraryForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        values = form.given
        made = add({**values, "parent": form.cleaned_data["parent"]}, request.user)
        messages.success(request, _("The library has been added. Add its codes, by which records name it."))
        return redirect("manage_library", number_of(made.pk))
    context = {"groups": _groups(form, Library(), False), "form": form}
    return render(request, "manage/libraries/new.html", context, status=422 if form.errors else 200)


def _save(request: HttpRequest, shown: Library) -> HttpResponse:
    form = LibraryForm(request.POST, instance=shown)
    if not form.is_valid():
        return _page(request, shown, True, form, status=422)
    if form.changed:
        try:
            change(shown.pk, request.POST.get("seen", ""), form.changed, request.user)
        except ChangedMeanwhile:
            return _page(request, shown, True, form, status=409)
    messages.success(request, _("Saved."))
    return redirect("manage_library", number_of(shown.pk))


def _give_back(request: HttpRequest, shown: Library) -> HttpResponse:
    field = request.POST.get("field", "")
    if field not in FIELDS:
        raise Http404(field)
    try:
        give_back(shown.pk, request.POST.get("seen", ""), field, request.user)
    except ChangedMeanwhile:
        messages.error(request, _("Someone else has changed the library meanwhile. This is how it is now."))
    else:
        messages.success(request, _("The field is no longer fixed."))
    return redirect("manage_library", number_of(shown.pk))


def _add_code(request: HttpRequest, shown: Library) -> HttpResponse:
    form = CodeForm(request.POST)
    if not form.is_valid():
        return _page(request, shown, True, LibraryForm(instance=shown), status=422, code_form=form)
    try:
        add_code(shown, form.cleaned_data["code"], request.user)
    except CodeRefused as error:
        form.add_error("value", str(error))
        more = {"code_form": form, "holder": error.holder}
        return _page(request, shown, True, LibraryForm(instance=shown), status=422, **more)
    messages.success(request, _("The code has been added."))
    return redirect("manage_library", number_of(shown.pk))


def _remove_code(request: HttpRequest, shown: Library) -> HttpResponse:
    code = request.POST.get("code", "")
    try:
        remove_code(shown, row_id(code), request.user)
    except CodeRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The code has been removed."))
    return redirect("manage_library", number_of(shown.pk))


def _page(
    request: HttpRequest, shown: Library, allowed: bool, form: LibraryForm, status: int = 200, **more: Any
) -> HttpResponse:
    # A form writes into its instance, and the page shows what is stored.
    stored = get_object_or_404(Library.objects.select_related("parent", "merged_into"), pk=shown.pk)
    codes = stored.codes.order_by("scheme", "value")
    is_staff = role_of(request.user) >= Role.STAFF
    holder = more.get("holder")
    context = {
        "library": stored,
        "number": number_of(stored.pk),
        "seen": fingerprint(stored),
        "allowed": allowed,
        "is_staff": is_staff,
        "form": form,
        "groups": _groups(form, stored, status == 409),
        "is_stale": status == 409,
        "codes": [(code, SCHEMES.get(code.scheme, code.scheme)) for code in codes[:MOST_CODES]],
        "code_form": more.get("code_form") or CodeForm(),
        "holder": holder and (holder, number_of(holder.pk)),
        "providers": _providers(stored),
        "branches": [(branch, number_of(branch.pk)) for branch in stored.branches.current().order_by("pk")[:100]],
        "parent": stored.parent and (stored.parent, number_of(stored.parent.pk)),
        "merged_into": stored.merged_into and (stored.merged_into, number_of(stored.merged_into.pk)),
        "merges": _merges(stored),
    }
    return render(request, "manage/libraries/library.html", context, status=status)


def _groups(form: LibraryForm, stored: Library, is_stale: bool) -> list[tuple[Any, list[dict[str, Any]]]]:
    """The fields of the form in groups, with sources. is_stale: and the values that somebody else stored meanwhile."""
    is_provider = recorded_values(stored.pk).is_provider if stored.pk else False
    changed = form.changed if is_stale else {}
    return [(title, [_field(form, name, stored, is_provider, changed) for name in names]) for title, names in GROUPS]


def _field(form: LibraryForm, name: str, stored: Library, is_provider: bool, changed: dict[str, Any]) -> dict[str, Any]:
    value = form.shown[name]
    source = source_of(name, stored.edited, value not in ("", None), is_provider)
    return {
        "field": form[name],
        "source": source,
        "wording": SOURCES[source],
        "is_fixed": source in (PEOPLE, LIST),
        "to_records": name in (FROM_PROVIDERS if is_provider else FROM_RECORDS),
        "text": value_text(name, value),
        "stored": value_text(name, value) if name in changed else "",
    }


def _providers(stored: Library) -> list[tuple[Repository, list[str]]]:
    """The providers that report the library, each with the names that its records use."""
    names: defaultdict[int, list[str]] = defaultdict(list)
    for row in stored.names.order_by("pk"):
        names[row.repository_id].append(row.name)
    numbers = reporting_numbers(stored)
    rows = (Repository.objects.filter(pk__in=names) | Repository.objects.filter(number__in=numbers)).order_by("number")
    return [(repository, names[repository.pk]) for repository in rows]


def _merges(stored: Library) -> list[tuple[LibraryMerge, str]]:
    """The mergings of other libraries into this library, and that of this library into another."""
    rows = LibraryMerge.objects.in_force().select_related("library", "into")
    own = (rows.filter(into=stored) | rows.filter(library=stored)).order_by("-pk")
    return [(row, number_of(row.library_id)) for row in own]
