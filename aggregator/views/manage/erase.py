"""The page on which an administrator erases all data of a provider. `aggregator.erasing` does the work."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from aggregator.erasing.begin import begin, preview_erasure
from aggregator.models import Erasure
from harvesting.accounts.access import for_administrators, own_repository
from harvesting.models import Application, Repository


class EraseForm(forms.Form):
    """Asks for a reason, and for the repository number, so that nobody erases the wrong provider by mistake."""

    number = forms.CharField(label=gettext_lazy("Type the repository number to confirm"), max_length=10)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("The reason is kept permanently in the audit trail. Do not name any person."),
    )

    def __init__(self, repository: Repository, data: Any) -> None:
        super().__init__(data, label_suffix="")
        self._number = repository.number

    def clean_number(self) -> str:
        if self.cleaned_data["number"].strip() != self._number:
            raise ValidationError(_("This is not the number of this provider."))
        return self._number


@require_http_methods(["GET", "HEAD", "POST"])
@for_administrators
def provider_erase(request: HttpRequest, number: str) -> HttpResponse:
    """Show what would be erased, and the form; once erasing has begun, its progress."""
    repository = own_repository(request, number)
    erasure = Erasure.objects.filter(repository=repository).first()
    form = EraseForm(repository, request.POST if request.method == "POST" else None)
    if request.method == "POST" and erasure is None and form.is_valid():
        begin(repository, request.user, form.cleaned_data["reason"])
        messages.success(request, _("The data is being erased. This may take a while; this page shows the progress."))
        return redirect("provider_erase", number)
    requests = repository.applications.filter(kind=Application.Kind.DELETE)
    context = {
        "repository": repository,
        "erasure": erasure,
        "form": form,
        "deletion_request": requests.exclude(state=Application.State.REFUSED).first(),
        "meaning": None if erasure else preview_erasure(repository),
    }
    return render(request, "manage/providers/erase.html", context, status=422 if form.errors else 200)
