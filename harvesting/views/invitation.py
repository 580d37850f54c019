"""The page that the link of an invitation opens: choosing a login name and a password creates the account."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from harvesting.accounts.access import LABELS
from harvesting.accounts.forms import AcceptForm
from harvesting.accounts.invitations import accept_invitation, invitation_of
from harvesting.accounts.ranks import Role

BACKEND = "django.contrib.auth.backends.ModelBackend"


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
