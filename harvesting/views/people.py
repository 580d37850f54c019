"""The pages about people: accounts with their roles and providers, invitations; inviting, changing and closing."""

from django.contrib import messages
from django.contrib.auth import get_user_model, login
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from harvesting.accounts.access import LABELS, for_staff, role_of
from harvesting.accounts.forms import AcceptForm, InvitationForm, PersonForm
from harvesting.accounts.invitations import (
    ChangeContext,
    LastAdministrator,
    accept_invitation,
    change_account,
    invitation_of,
    invite,
    may_change,
    open_invitations,
    resend_invitation,
    revoke_invitation,
    role_of_account,
    search_people,
)
from harvesting.accounts.ranks import Role
from harvesting.mail import delivery
from harvesting.mail.texts import invitation_link
from harvesting.models import Invitation

BACKEND = "django.contrib.auth.backends.ModelBackend"


MOST = 200  # people on the page; the search finds the others


@require_safe
@for_staff
def people(request: HttpRequest) -> HttpResponse:
    """The accounts that match the search, and the open invitations."""
    text = request.GET.get("q", "").strip()[:100]
    accounts, role = list(search_people(text)[: MOST + 1]), role_of(request.user)
    context = {
        "people": [
            (account, LABELS[role_of_account(account)], may_change(role, account)) for account in accounts[:MOST]
        ],
        "more": len(accounts) > MOST,
        "q": text,
        # with the library of each, a row that `aggregator` adds to an invitation of interlibrary loan staff
        "invitations": open_invitations().select_related("for_library__library"),
        "now": timezone.now(),
        "sends_mail": delivery.is_set_up(),
    }
    return render(request, "manage/people/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def invitation_new(request: HttpRequest) -> HttpResponse:
    """The form that invites somebody."""
    data = request.POST if request.method == "POST" else None
    form = InvitationForm(request.user, data, initial={"language": get_language(), "role": "librarian"})
    if data is not None and form.is_valid():
        invitation = invite(form.save(commit=False), form.cleaned_data["repositories"], actor(request))
        return after_invitation(request, invitation, _("The invitation to %(email)s has been sent."))
    context = {"form": form, "sends_mail": delivery.is_set_up()}
    return render(request, "manage/people/invite.html", context, status=422 if form.errors else 200)


@require_POST
@for_staff
def invitation_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Send an invitation again, or revoke it. Only administrators may do this for staff."""
    invitation = get_object_or_404(open_invitations(), pk=pk)
    if Role[invitation.role.upper()] >= Role.STAFF and role_of(request.user) is not Role.ADMINISTRATOR:
        raise PermissionDenied
    if "revoke" in request.POST:
        revoke_invitation(invitation, actor(request))
        messages.success(request, _("The invitation to %(email)s has been withdrawn.") % {"email": invitation.email})
    elif "again" in request.POST:
        resend_invitation(invitation, actor(request))
        return after_invitation(request, invitation, _("The invitation to %(email)s has been sent again."))
    return redirect("people")


def after_invitation(request: HttpRequest, invitation: Invitation, text: str) -> HttpResponse:
    """Say that the invitation was sent, with this text. Where no mail server is set up, show its link instead."""
    if delivery.is_set_up():
        messages.success(request, text % {"email": invitation.email})
        return redirect("people")
    context = {"invitation": invitation, "link": invitation_link(invitation)}
    return render(request, "manage/people/link.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """One account: role, providers, open or closed. Staff may not change other staff."""
    account = get_object_or_404(get_user_model(), pk=pk)
    allowed = may_change(role_of(request.user), account)
    if request.method == "POST" and not allowed:
        raise PermissionDenied
    form = PersonForm(request.user, account, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            _apply(request, account, form)
        except LastAdministrator:
            form.add_error(None, _("This is the last administrator. Make someone else an administrator first."))
        else:
            messages.success(request, _("%(name)s has been changed.") % {"name": account.get_username()})
            return redirect("people")
    context = {"person": account, "form": form, "allowed": allowed, "role": LABELS[role_of_account(account)]}
    context["providers"] = account.repository_set.all()
    return render(request, "manage/people/person.html", context, status=422 if form.errors else 200)


def _apply(request: HttpRequest, account: User, form: PersonForm) -> None:
    values = form.cleaned_data
    context = ChangeContext(actor(request), values["reason"])
    change_account(account, Role[values["role"].upper()], values["repositories"], values["active"], context)


def actor(request: HttpRequest) -> User:
    """The logged-in user of the request. Raises PermissionDenied if there is none."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form; create the account and log in. Status 410 for a link that was used or revoked, or has expired."""
    accepted = invitation_of(token)
    if accepted is None:
        return render(request, "login/invitation_gone.html", status=410)
    data = request.POST if request.method == "POST" else None
    form = AcceptForm(data, initial={"username": accepted.email.partition("@")[0]})
    if data is None or not form.is_valid():
        role = LABELS[Role[accepted.role.upper()]]
        context = {"form": form, "made": accepted, "role": role, "providers": accepted.repositories.all()}
        return render(request, "login/invitation.html", context, status=422 if form.errors else 200)
    user = accept_invitation(accepted, form.cleaned_data["username"], form.cleaned_data["password"])
    if user is None:
        return render(request, "login/invitation_gone.html", status=410)
    login(request, user, BACKEND)
    return redirect("manage")
