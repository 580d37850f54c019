"""Import and export of providers by staff: a download, and an upload with a preview of its changes."""

from collections import Counter

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from aggregator.transfer.provider_files import UnreadableFile, read, to_csv, to_json
from harvesting.accounts.access import for_staff
from harvesting.models import Repository
from harvesting.registry.bulk import CHANGED, ERROR, NEW, SAME, carry_out, plan, rows_of
from harvesting.registry.registration import RegistrationError

LARGEST = 1024 * 1024  # bytes
SHOWN = 200  # rows of the preview


class BulkForm(forms.Form):
    """An uploaded file, or its text as the preview sends it back."""

    upload = forms.FileField(label=gettext_lazy("File (CSV or JSON)"), required=False)
    text = forms.CharField(required=False, strip=False, max_length=LARGEST, widget=forms.HiddenInput)

    def clean(self) -> dict[str, object]:
        data = super().clean() or self.cleaned_data
        upload = data.get("upload")
        if upload and upload.size > LARGEST:
            raise forms.ValidationError(_("The file is too large: at most 1 MB."))
        try:
            data["text"] = upload.read().decode("utf-8-sig") if upload else data.get("text", "")
            data["rows"] = read(data["text"]) if data["text"] else []
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("The file is not in UTF-8. In Excel, save it as “CSV UTF-8”.")) from error
        except UnreadableFile as error:
            raise forms.ValidationError(str(error)) from error
        if not data["rows"]:
            raise forms.ValidationError(_("Choose a file."))
        return data


@require_safe
@for_staff
def providers_export(_request: HttpRequest, form: str) -> HttpResponse:
    """Return all providers as a file."""
    rows = rows_of(Repository.objects.all())
    if form == "json":
        response: HttpResponse = JsonResponse(to_json(rows), json_dumps_params={"ensure_ascii": False, "indent": 1})
    else:
        response = HttpResponse(to_csv(rows), "text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="providers.{form}"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def providers_bulk(request: HttpRequest) -> HttpResponse:
    """Show what an uploaded file would change; the second button makes the changes."""
    form = BulkForm(request.POST or None, request.FILES or None, label_suffix="")
    if request.method != "POST" or not form.is_valid():
        return render(request, "manage/providers/bulk.html", {"form": form}, status=422 if form.errors else 200)
    changes = plan(form.cleaned_data["rows"])
    counts = Counter(change.outcome for change in changes)
    if "do-import" in request.POST and not counts[ERROR]:
        try:
            done = carry_out(changes, request.user)
        except RegistrationError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Imported: %(count)s rows caused changes.") % {"count": done})
            return redirect("providers")
    context = {
        "form": form,
        "text": form.cleaned_data["text"],
        "changes": [change for change in changes if change.outcome != SAME][:SHOWN],
        "counts": {"new": counts[NEW], "changed": counts[CHANGED], "same": counts[SAME], "error": counts[ERROR]},
        "ready": not counts[ERROR] and bool(counts[NEW] or counts[CHANGED]),
    }
    return render(request, "manage/providers/bulk.html", context)
