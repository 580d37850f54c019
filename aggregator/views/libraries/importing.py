"""Import and export of libraries by staff: a download, and an upload of a list with a preview of its changes."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from aggregator.libraries.editing.form import label_of
from aggregator.libraries.imports import SAME, ImportRefused, carry_out, counts, plan, rows_of
from aggregator.libraries.lists import COLUMNS, UnreadableList, decode, read, write
from aggregator.models import Library
from aggregator.views.libraries.wording import value_text
from harvesting.accounts.access import for_staff

LARGEST = 2 * 1024 * 1024  # bytes
SHOWN = 200  # rows of the preview


class ListForm(forms.Form):
    """An uploaded list, or its text as the preview sends it back."""

    upload = forms.FileField(label=gettext_lazy("List (CSV or TSV)"), required=False)
    text = forms.CharField(required=False, strip=False, max_length=LARGEST, widget=forms.HiddenInput)

    def clean(self) -> dict[str, object]:
        data = super().clean() or self.cleaned_data
        upload = data.get("upload")
        too_large = forms.ValidationError(
            _("The file is too large: at most 2 MB. Split it, or use the command “libraries”.")
        )
        if upload and upload.size > LARGEST:
            raise too_large
        try:
            data["text"] = decode(upload.read()) if upload else data.get("text", "")
            if len(data["text"].encode()) > LARGEST:  # a file in Shift_JIS is longer as UTF-8
                raise too_large
            data["list"] = read(data["text"]) if data["text"] else None
        except UnreadableList as error:
            raise forms.ValidationError(str(error)) from error
        if not data["list"]:
            raise forms.ValidationError(_("Choose a file."))
        return data


@require_safe
@for_staff
def libraries_export(_request: HttpRequest) -> HttpResponse:
    """Return all libraries as a list that can be imported."""
    shown = Library.objects.current().order_by("pk").prefetch_related("codes", "parent__codes")
    response = HttpResponse(write(rows_of(shown)), "text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="libraries.csv"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def libraries_import(request: HttpRequest) -> HttpResponse:
    """Show what an uploaded list would change; the second button makes the changes."""
    form = ListForm(request.POST or None, request.FILES or None, label_suffix="")
    if request.method != "POST" or not form.is_valid():
        context = {"form": form, "columns": COLUMNS}
        return render(request, "manage/libraries/import.html", context, status=422 if form.errors else 200)
    listed = form.cleaned_data["list"]
    changes = plan(listed.rows)
    number = counts(changes)
    if "do-import" in request.POST and not number["error"]:
        try:
            done = carry_out(changes, request.user)
        except ImportRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Imported: %(count)s rows caused changes.") % {"count": done})
            return redirect("manage_libraries_import")
    notable = [change for change in changes if change.outcome != SAME or change.kept]
    context = {
        "form": form,
        "columns": COLUMNS,
        "text": form.cleaned_data["text"],
        "passed_over": ", ".join(listed.passed_over),
        "changes": sorted(notable, key=lambda change: not change.errors)[:SHOWN],
        "more": max(0, len(notable) - SHOWN),
        "counts": number,
        "ready": not number["error"],
        "label_of": label_of,
        "value_text": _listed,
    }
    return render(request, "manage/libraries/import.html", context)


def _listed(field: str, value: str) -> str:
    """A value of a list in words; a list names the main library of a branch by its code."""
    return value if field == "parent" else value_text(field, value)
