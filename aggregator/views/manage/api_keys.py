"""Staff's pages about API keys: the list, a new key, one key with its use, revoking a key."""

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from aggregator.access.api_keys import USAGE, create_key
from aggregator.models import ApiKey
from harvesting.accounts.access import for_staff
from harvesting.audit.trail import note

MOST = 500  # keys on the page
DAYS = 30


class KeyForm(forms.ModelForm[ApiKey]):
    """A new key."""

    class Meta:
        model = ApiKey
        fields = ("name", "contact", "purpose", "budget")
        help_texts = {
            "budget": _("Searches allowed per minute. Without a key, 600 are allowed per network."),
        }

    def clean_name(self) -> str:
        """Refuse the name of a key in use, so that a form that is sent twice does not make two keys."""
        name: str = self.cleaned_data["name"]
        if ApiKey.objects.filter(name=name, revoked=None).exists():
            raise forms.ValidationError(_("A key with this name already exists."))
        return name


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def keys(request: HttpRequest) -> HttpResponse:
    """List all keys with their use; a POST makes a new key, which is shown only this once."""
    if request.method != "POST":
        return _page(request, KeyForm())
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    try:
        with transaction.atomic():
            key, token = create_key(form.cleaned_data, request.user)
            note(request.user, "key.made", key, details={"contact": key.contact, "budget": key.budget})
    except IntegrityError:  # the same form was sent twice at the same moment
        form.add_error("name", _("A key with this name already exists."))
        return _page(request, form, status=400)
    return render(request, "manage/keys/made.html", {"key": key, "token": token})


@require_http_methods(["GET", "HEAD"])
@for_staff
def key(request: HttpRequest, key_number: int) -> HttpResponse:
    """Show one key: who has it, and its use day by day."""
    USAGE.write()
    found = get_object_or_404(ApiKey.objects.select_related("created_by"), pk=key_number)
    days = list(found.days.all()[:DAYS])
    return render(request, "manage/keys/key.html", {"key": found, "days": days})


@require_POST
@for_staff
def revoke(request: HttpRequest, key_number: int) -> HttpResponse:
    """Revoke a key permanently; its past use stays visible."""
    found = get_object_or_404(ApiKey, pk=key_number)
    with transaction.atomic():
        if ApiKey.objects.filter(pk=key_number, revoked=None).update(revoked=timezone.now()):
            note(request.user, "key.revoked", found, reason=request.POST.get("reason", "")[:500])
            messages.success(request, _("The key has been revoked. Within 30 seconds no server will accept it."))
    return redirect("manage_key", key_number=key_number)


def _page(request: HttpRequest, form: KeyForm, status: int = 200) -> HttpResponse:
    USAGE.write()
    context = {"form": form, "keys": _with_use()[:MOST], "days": DAYS}
    return render(request, "manage/keys/keys.html", context, status=status)


def _with_use() -> QuerySet[ApiKey]:
    """Return the keys, those in use first, with their requests of the last DAYS and the day of their last use."""
    since = timezone.now().date() - timedelta(days=DAYS)
    recent = Q(days__day__gte=since)
    return ApiKey.objects.annotate(asked=Sum("days__answered", filter=recent), last=Max("days__day")).order_by(
        "revoked", "-pk"
    )
