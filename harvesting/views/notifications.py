"""The pages about notifications: the messages sent, and the addresses with their settings.

`harvesting.notifications.addresses` decides who may see and change what.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.http.row_ids import row_id
from harvesting.accounts.access import for_librarians
from harvesting.audit.trail import note
from harvesting.mail import delivery, texts
from harvesting.models import OutgoingMessage, Recipient
from harvesting.notifications import addresses, outbox
from harvesting.notifications.forms import AddressForm, NotificationForm

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PAGE = 50


@require_safe
@for_librarians
def notices(request: HttpRequest) -> HttpResponse:
    """The outgoing messages, the newest first, PAGE at a time, older ones by ?before=."""
    outgoing, state = addresses.messages_for(request.user), request.GET.get("state", "")
    if state in OutgoingMessage.State:
        outgoing = outgoing.filter(state=state)
    if before := row_id(request.GET.get("before", "")):
        outgoing = outgoing.filter(pk__lt=before)
    rows = list(outgoing.select_related("repository").defer("text")[: PAGE + 1])
    older = urlencode({"state": state, "before": str(rows[PAGE - 1].pk)}) if len(rows) > PAGE else ""
    context = {
        "letters": [(message, texts.KINDS.get(message.kind, message.kind)) for message in rows[:PAGE]],
        "states": OutgoingMessage.State.choices,
        "state": state,
        "older": older,
        "sends_mail": delivery.is_set_up(),
    }
    return render(request, "manage/notices/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def notice_letter(request: HttpRequest, pk: int) -> HttpResponse:
    """One outgoing message; POST sends it again if it was given up."""
    message = get_object_or_404(addresses.messages_for(request.user), pk=pk)
    if request.method == "POST":
        if outbox.retry(message):
            note(request.user, "notices.again", message.repository or message.address, details={"letter": message.pk})
            messages.success(request, _("The message will be sent again."))
        return redirect("notice_letter", pk)
    context = {"letter": message, "kind": texts.KINDS.get(message.kind, message.kind)}
    return render(request, "manage/notices/letter.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def notification_settings(request: HttpRequest) -> HttpResponse:
    """The user's addresses with their settings, and the form for a new address."""
    initial = {"address": getattr(request.user, "email", ""), "language": get_language()}
    form = AddressForm(request.user, request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        recipient = form.save(commit=False)
        secret = addresses.add(recipient)
        _show_next_step(request, recipient, secret)
        return redirect("notification_settings")
    rows = [
        (recipient, NotificationForm(instance=recipient, prefix=f"a{recipient.pk}"))
        for recipient in addresses.own_addresses(request.user)
    ]
    context = {"form": form, "addresses": rows, "sends_mail": delivery.is_set_up()}
    return render(request, "manage/notices/settings.html", context, status=422 if form.errors else 200)


def _show_next_step(request: HttpRequest, recipient: Recipient, secret: str) -> None:
    """Tell the user what happens next with a new address."""
    if secret:
        text = _("The webhook key is shown only once. Store it safely: %(secret)s") % {"secret": secret}
    elif recipient.confirmed is None:
        text = _(
            "A confirmation e-mail has been sent to %(address)s. Notifications start once its link has been opened."
        )
    else:
        text = _("Notifications will be sent to %(address)s from now on.")
    messages.success(request, text if secret else text % {"address": recipient.address})


ACTIONS: "dict[str, tuple[Callable[[Recipient, object], None], StrOrPromise]]" = {
    "stop": (addresses.stop, gettext_lazy("Notifications to %(address)s have been stopped.")),
    "start": (addresses.start, gettext_lazy("Notifications to %(address)s have been resumed.")),
    "remove": (addresses.remove, gettext_lazy("The address %(address)s has been removed.")),
    "try": (
        lambda to, _person: addresses.send_trial(to),
        gettext_lazy(
            "The message to %(address)s will be sent shortly. Test messages are sent at most once a minute, "
            "requests for confirmation at most once an hour."
        ),
    ),
}


@require_POST
@for_librarians
def notification_address(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the settings of one address, or carry out one of ACTIONS."""
    to = get_object_or_404(addresses.own_addresses(request.user), pk=pk)
    action = ACTIONS.get(request.POST.get("do", ""))
    form = NotificationForm(request.POST, instance=to, prefix=f"a{to.pk}")
    if action:
        act, done = action
        act(to, request.user)
        messages.success(request, done % {"address": to.address})
    elif form.is_valid():
        form.save()
        about = to.repository or to.address
        note(request.user, "notices.changed", about, details={"address": to.address, "when": to.when, "how": to.how})
        messages.success(request, _("The settings for %(address)s have been saved.") % {"address": to.address})
    return redirect("notification_settings")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link that confirms an address.

    It needs the press of a button, because mail programs and scanners open links by themselves.
    """
    done = request.method == "POST"
    to = addresses.confirm(token) if done else addresses.recipient_of(texts.CONFIRM, token)
    context = {"to": to, "done": done, "stopping": False}
    return render(request, "login/address.html", context, status=200 if to else 410)


@csrf_exempt  # the signed link is the authorisation, and mail programs post to it without a page (RFC 8058)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices_stop(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link in a mail that stops further notifications."""
    done = request.method == "POST"
    to = addresses.stop_by_link(token) if done else addresses.recipient_of(texts.STOP, token)
    context = {"to": to, "done": done, "stopping": True}
    return render(request, "login/address.html", context, status=200 if to else 410)
