"""Staff make people members of libraries, on a page of the person or by an invitation."""

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language, gettext_lazy, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from aggregator.loan_desk.members import (
    add_member,
    find_libraries,
    invite_member,
    join_by_invitation,
    remove_members,
)
from aggregator.models import Library, LibraryMember
from aggregator.views.site.login import home_of
from core.http.row_ids import row_id
from core.languages import choices
from harvesting.accounts.access import for_staff, role_of
from harvesting.accounts.invitations import ChangeContext, invitation_of, may_change
from harvesting.mail import delivery
from harvesting.models import Invitation
from harvesting.views import people
from harvesting.views.people import actor, after_invitation

MOST = 20  # libraries that are offered


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def person_libraries(request: HttpRequest, pk: int) -> HttpResponse:
    """The libraries that a person works for; a library is found by code or name, then added by its number."""
    person = get_object_or_404(get_user_model(), pk=pk)
    if not may_change(role_of(request.user), person) and person != request.user:
        raise PermissionDenied
    text = request.POST.get("library", request.GET.get("library", "")).strip()[:200]
    reason = request.POST.get("reason", "").strip()[:500]
    found = find_libraries(text, MOST) if text else []
    context = ChangeContext(actor(request), reason)
    if request.method == "POST" and "remove" in request.POST:
        remove_members(list(LibraryMember.objects.filter(user=person, pk__in=_keys(request, "remove"))), context)
        return redirect("person_libraries", pk)
    if request.method == "POST" and len(found) == 1:
        add_member(person, found[0], context)
        messages.success(request, _("%(name)s now works for %(library)s.") % {
            "name": person.get_username(), "library": found[0].label})  # fmt: skip
        return redirect("person_libraries", pk)
    shown = {
        "person": person,
        "memberships": LibraryMember.objects.filter(user=person).select_related("library").order_by("pk"),
        "text": text,
        "reason": reason,
        "found": found if len(found) > 1 else [],
        "none": bool(text) and not found,
    }
    return render(request, "loans/person.html", shown, status=422 if shown["none"] else 200)


class MemberInvitationForm(forms.ModelForm[Invitation]):
    """Whom to invite as a member of which library."""

    library = forms.CharField(label=gettext_lazy("Code, number or name of the library"), max_length=200)

    class Meta:
        model = Invitation
        fields = ["email", "language"]

    field_order = ("email", "library", "language")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["language"] = forms.ChoiceField(label=gettext_lazy("Language of the e-mail"), choices=choices())

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if get_user_model().objects.filter(email__iexact=email).exists():
            raise ValidationError(_("An account with this address already exists. Look for it in the list."))
        return email

    def clean_library(self) -> Library:
        text = self.cleaned_data["library"].strip()
        found = find_libraries(text, MOST)
        if not found:
            raise ValidationError(_("No library has the code, number or name “%(text)s”.") % {"text": text})
        if len(found) > 1:
            names = pgettext("between names", ", ").join(f"{one.label} (L{one.pk})" for one in found)
            raise ValidationError(_("Several libraries: %(names)s. Enter the number of one.") % {"names": names})
        return found[0]

    def validate_constraints(self) -> None:
        """An earlier invitation to the same address is revoked, so it does not matter."""


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def member_invitation(request: HttpRequest) -> HttpResponse:
    """The form that invites a person who only works for a library."""
    form = MemberInvitationForm(request.POST or None, initial={"language": get_language()})
    if request.method == "POST" and form.is_valid():
        made = form.save(commit=False)
        invite_member(made, form.cleaned_data["library"], actor(request))
        return after_invitation(request, made, _("The invitation to %(email)s has been sent."))
    context = {"form": form, "sends_mail": delivery.is_set_up()}
    return render(request, "loans/invite.html", context, status=422 if form.errors else 200)


def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page of the link of an invitation. Whoever accepts one for a library becomes its member at once."""
    pending = invitation_of(token)
    with transaction.atomic():
        response = people.invitation(request, token)
        if pending is None or response.status_code != HTTPStatus.FOUND:
            return response
        join_by_invitation(pending, request.user)
    return redirect(home_of(request.user))


def _keys(request: HttpRequest, name: str) -> list[int]:
    return [pk for pk in map(row_id, request.POST.getlist(name)) if pk]
