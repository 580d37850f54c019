"""The terms of a library, which its members change; whether it lends is a field of the library itself."""

import secrets

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from aggregator.libraries.edits import with_people
from aggregator.loan_desk.forms import TermsForm
from aggregator.loan_desk.iso.receiving import digest_of
from aggregator.loan_desk.members import Desk
from aggregator.loan_desk.parties import terms_of
from aggregator.models import Library, LoanTerms
from aggregator.views.loans.guard import for_members
from harvesting.audit.trail import note
from harvesting.registry.credentials import seal


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def loan_terms(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The form of the terms of one of the person's libraries (?library= its key)."""
    if not desk.libraries:
        raise PermissionDenied
    wanted = request.GET.get("library", "") or str(desk.libraries[0].pk)
    library = next((own for own in desk.libraries if str(own.pk) == wanted), None)
    if library is None:
        raise Http404
    terms = terms_of(library)
    if request.method == "POST" and "new-secret" in request.POST:
        secret = _new_secret(library, request.user)
        text = _("The secret of your system is shown only once. Store it safely: %(secret)s") % {"secret": secret}
        messages.success(request, text)
        return redirect(f"{request.path}?library={library.pk}")
    form = TermsForm(request.POST or None, instance=terms, initial={"lends": library.lends})
    if request.method == "POST" and form.is_valid():
        _save(form, library, request.user)
        messages.success(request, _("The terms of %(library)s have been saved.") % {"library": library.label})
        return redirect(f"{request.path}?library={library.pk}")
    context = {"form": form, "library": library, "own": desk.libraries}
    return render(request, "loans/terms.html", context, status=422 if form.errors else 200)


@transaction.atomic
def _new_secret(library: Library, person: object) -> str:
    """Give the library's system a new secret for /iso18626; the earlier one stops working."""
    terms, secret = terms_of(library), secrets.token_urlsafe(32)
    terms.iso_digest = digest_of(secret)
    terms.save()
    note(person, "loan.terms", library, details={"changed": "iso_digest"})
    return secret


@transaction.atomic
def _save(form: TermsForm, library: Library, person: object) -> LoanTerms:
    """Store the terms. If a person changes whether the library lends, that overrides records and lists."""
    terms = form.save()
    if form.cleaned_data["iso_key"]:
        terms.iso_secret = seal(form.cleaned_data["iso_key"])
        terms.save(update_fields=["iso_secret"])
    lends = form.cleaned_data["lends"]
    if lends != library.lends:
        library = Library.objects.select_for_update(of=("self",)).get(pk=library.pk)
        library.lends, library.edited = lends, with_people(library.edited, ["lends"])
        library.save(update_fields=["lends", "edited"])
    note(person, "loan.terms", library, details={"changed": ", ".join(form.changed_data)})
    return terms
