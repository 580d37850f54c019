"""Where the link of an invitation leads: somebody chooses a login name and a password, and is in."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from harvesting.accounts.access import LABELS
from harvesting.accounts.forms import AcceptForm
from harvesting.accounts.invitations import accept, invitation_of
from harvesting.accounts.ranks import Role

BACKEND = "django.contrib.auth.backends.ModelBackend"


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The form; then the first page of her own. A link that is used, revoked or too old says so."""
    made = invitation_of(token)
    if made is None:
        return render(request, "login/invitation_gone.html", status=410)
    given = request.POST if request.method == "POST" else None
    form = AcceptForm(given, initial={"username": made.email.partition("@")[0]})
    if given is None or not form.is_valid():
        role = LABELS[Role[made.role.upper()]]
        context = {"form": form, "made": made, "role": role, "providers": made.repositories.all()}
        return render(request, "login/invitation.html", context, status=422 if form.errors else 200)
    user = accept(made, form.cleaned_data["username"], form.cleaned_data["password"])
    if user is None:
        return render(request, "login/invitation_gone.html", status=410)
    login(request, user, BACKEND)
    return redirect("manage")
