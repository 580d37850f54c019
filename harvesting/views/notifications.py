"""The pages about notices: what was sent, and who is written to when. Knows HTTP; who may is in `subscribing`."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from harvesting.accounts.access import for_librarians
from harvesting.audit.trail import note
from harvesting.mail import delivery, texts
from harvesting.models import OutgoingMessage, Recipient
from harvesting.notifications import addresses as subscribing
from harvesting.notifications import outbox
from harvesting.notifications.forms import AddressForm, NotificationForm

PAGE = 50


@require_safe
@for_librarians
def notices(request: HttpRequest) -> HttpResponse:
    """What was sent, the newest first, PAGE at a time."""
    found, wanted = subscribing.letters_for(request.user), request.GET.get("state", "")
    if wanted in OutgoingMessage.State:
        found = found.filter(state=wanted)
    before = request.GET.get("before", "")
    if before.isdecimal() and len(before) < 19:
        found = found.filter(pk__lt=int(before))
    rows = list(found.select_related("repository").defer("text")[: PAGE + 1])
    older = urlencode({"state": wanted, "before": str(rows[PAGE - 1].pk)}) if len(rows) > PAGE else ""
    context = {
        "letters": [(each, texts.KINDS.get(each.kind, each.kind)) for each in rows[:PAGE]],
        "states": OutgoingMessage.State.choices,
        "state": wanted,
        "older": older,
        "sends_mail": delivery.is_set_up(),
    }
    return render(request, "manage/notices/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def notice_letter(request: HttpRequest, pk: int) -> HttpResponse:
    """One letter; POST sends it again if it was given up."""
    letter = get_object_or_404(subscribing.letters_for(request.user), pk=pk)
    if request.method == "POST":
        if outbox.again(letter):
            note(request.user, "notices.again", letter.repository or letter.address, details={"letter": letter.pk})
            messages.success(request, _("It is sent again."))
        return redirect("notice_letter", pk)
    context = {"letter": letter, "kind": texts.KINDS.get(letter.kind, letter.kind)}
    return render(request, "manage/notices/letter.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def notice_wishes(request: HttpRequest) -> HttpResponse:
    """When and how I am written to; a new address."""
    initial = {"address": getattr(request.user, "email", ""), "language": get_language()}
    form = AddressForm(request.user, request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        made = form.save(commit=False)
        secret = subscribing.add(made)
        _tell_what_comes(request, made, secret)
        return redirect("notice_wishes")
    addresses = [
        (each, NotificationForm(instance=each, prefix=f"a{each.pk}"))
        for each in subscribing.own_addresses(request.user)
    ]
    context = {"form": form, "addresses": addresses, "sends_mail": delivery.is_set_up()}
    return render(request, "manage/notices/wishes.html", context, status=422 if form.errors else 200)


def _tell_what_comes(request: HttpRequest, made: Recipient, secret: str) -> None:
    if secret:
        told = _("The key of the webhook is shown once only. Keep it: %(secret)s") % {"secret": secret}
    elif made.confirmed is None:
        told = _("A mail is on its way to %(address)s. When its link was opened, notices come.")
    else:
        told = _("Notices come to %(address)s from now on.")
    messages.success(request, told if secret else told % {"address": made.address})


DEEDS: dict[str, Callable[[Recipient, object], None]] = {
    "stop": subscribing.stop,
    "start": subscribing.start,
    "remove": subscribing.take_out,
    "try": lambda to, _person: subscribing.try_out(to),
}


@require_POST
@for_librarians
def notice_wish(request: HttpRequest, pk: int) -> HttpResponse:
    """Change one address: its wishes, or one of DEEDS by its button."""
    to = get_object_or_404(subscribing.own_addresses(request.user), pk=pk)
    deed = DEEDS.get(request.POST.get("do", ""))
    form = NotificationForm(request.POST, instance=to, prefix=f"a{to.pk}")
    if deed:
        deed(to, request.user)
        messages.success(request, _("Done: %(address)s") % {"address": to.address})
    elif form.is_valid():
        form.save()
        about = to.repository or to.address
        note(request.user, "notices.changed", about, details={"address": to.address, "when": to.when, "how": to.how})
        messages.success(request, _("Done: %(address)s") % {"address": to.address})
    return redirect("notice_wishes")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Where the mail about an address leads: a button, because programs open links to look at them."""
    done = request.method == "POST"
    to = subscribing.confirm(token) if done else subscribing.addressed(texts.CONFIRM, token)
    context = {"to": to, "done": done, "stopping": False}
    return render(request, "login/address.html", context, status=200 if to else 410)


@csrf_exempt  # the link itself is the key, and mail programs send it by themselves (RFC 8058)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices_stop(request: HttpRequest, token: str) -> HttpResponse:
    """Where “no more of these mails” leads."""
    done = request.method == "POST"
    to = subscribing.stop_by_link(token) if done else subscribing.addressed(texts.STOP, token)
    context = {"to": to, "done": done, "stopping": True}
    return render(request, "login/address.html", context, status=200 if to else 410)
