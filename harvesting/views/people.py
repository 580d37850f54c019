"""The people page: who has which role and which providers, who is invited; inviting, changing, closing."""

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from harvesting.accounts.access import LABELS, for_staff, role_of
from harvesting.accounts.forms import InvitationForm, PersonForm
from harvesting.accounts.invitations import (
    LastAdministrator,
    Why,
    change,
    invite,
    invite_again,
    may_change,
    named,
    open_invitations,
)
from harvesting.accounts.invitations import rank as rank_of
from harvesting.accounts.invitations import revoke as revoke_invitation
from harvesting.accounts.ranks import Role
from harvesting.mail import delivery

MOST = 200  # people on the page; the search finds the others


@require_safe
@for_staff
def people(request: HttpRequest) -> HttpResponse:
    """Everybody with an account, those invited, and the way to invite more."""
    wanted = request.GET.get("q", "").strip()[:100]
    found, mine = list(named(wanted)[: MOST + 1]), role_of(request.user)
    context = {
        "people": [(each, LABELS[rank_of(each)], may_change(mine, each)) for each in found[:MOST]],
        "more": len(found) > MOST,
        "q": wanted,
        "invitations": open_invitations(),
        "now": timezone.now(),
        "sends_mail": delivery.is_set_up(),
    }
    return render(request, "manage/people/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def invitation_new(request: HttpRequest) -> HttpResponse:
    """Invite somebody."""
    given = request.POST if request.method == "POST" else None
    form = InvitationForm(request.user, given, initial={"language": get_language(), "role": "librarian"})
    if given is not None and form.is_valid():
        made = invite(form.save(commit=False), form.cleaned_data["repositories"], actor(request))
        messages.success(request, _("The invitation to %(email)s is on its way.") % {"email": made.email})
        return redirect("people")
    context = {"form": form, "sends_mail": delivery.is_set_up()}
    return render(request, "manage/people/invite.html", context, status=422 if form.errors else 200)


@require_POST
@for_staff
def invitation_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Send an invitation again, or take it back."""
    made = get_object_or_404(open_invitations(), pk=pk)
    if Role[made.role.upper()] >= Role.STAFF and role_of(request.user) is not Role.ADMINISTRATOR:
        raise PermissionDenied
    if "revoke" in request.POST:
        revoke_invitation(made, actor(request))
        messages.success(request, _("The invitation to %(email)s is taken back.") % {"email": made.email})
    elif "again" in request.POST:
        invite_again(made, actor(request))
        messages.success(request, _("The invitation to %(email)s is sent again.") % {"email": made.email})
    return redirect("people")


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """One account: role, providers, open or closed. Staff do not change staff."""
    shown = get_object_or_404(get_user_model(), pk=pk)
    allowed = may_change(role_of(request.user), shown)
    if request.method == "POST" and not allowed:
        raise PermissionDenied
    form = PersonForm(request.user, shown, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            _apply(request, shown, form)
        except LastAdministrator:
            form.add_error(None, _("This is the last administrator. Make somebody else one first."))
        else:
            messages.success(request, _("%(name)s is changed.") % {"name": shown.get_username()})
            return redirect("people")
    context = {"person": shown, "form": form, "allowed": allowed, "role": LABELS[rank_of(shown)]}
    context["providers"] = shown.repository_set.all()
    return render(request, "manage/people/person.html", context, status=422 if form.errors else 200)


def _apply(request: HttpRequest, shown: User, form: PersonForm) -> None:
    given = form.cleaned_data
    why = Why(actor(request), given["reason"])
    change(shown, Role[given["role"].upper()], given["repositories"], given["active"], why)


def actor(request: HttpRequest) -> User:
    """The person who asks, known to be logged in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
