"""The page of a provider about pushed records: what an upload contains, its tokens, how to send, what arrived."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from aggregator.models import Erasure
from harvesting.accounts.access import for_librarians, own_repository
from harvesting.audit.trail import note
from harvesting.http.archives import MIB
from harvesting.models import Feed, Push, PushToken, Repository
from harvesting.monitoring.run_summary import tone
from harvesting.pushes import receiving, reports
from harvesting.pushes.folders import FolderState, state_of
from harvesting.pushes.tokens import MOST_TOKENS, create_token, revoke_token
from harvesting.runs.results import result_label
from harvesting.transports.registry import for_pushes
from harvesting.types import TransportError

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST = 30  # pushes on the page
FOLDERS: "dict[FolderState, StrOrPromise]" = {
    FolderState.OFF: gettext_lazy("The operator of this site has set up no folders (PUSH_FOLDER)."),
    FolderState.LOST: gettext_lazy(
        "The folder of the site cannot be read at present. Nothing is taken from it, and nothing is deleted."
    ),
    FolderState.NONE: gettext_lazy("There is no folder with this name yet. The operator of this site can create it."),
    FolderState.WATCHED: gettext_lazy("Files in this folder are taken within a minute after they have arrived."),
}


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("What will use it, for example: library system, nightly export."),
    )


class UploadForm(forms.ModelForm[Feed]):
    """What an upload contains."""

    push_whole = forms.TypedChoiceField(
        label=gettext_lazy("What an upload contains"),
        choices=(
            (False, gettext_lazy("only what is new, changed or deleted: everything else stays")),
            (True, gettext_lazy("all records: what an upload lacks is deleted")),
        ),
        coerce=lambda text: text == "True",
        widget=forms.RadioSelect,
    )

    class Meta:
        model = Feed
        fields = ("push_whole",)


@dataclass(frozen=True, slots=True)
class Line:
    """A push as the page shows it. tone: its colour; state: in words; text: what happened."""

    push: Push
    tone: str
    state: str
    text: str
    counts: dict[str, int]


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def provider_push(request: HttpRequest, number: str) -> HttpResponse:
    """Show the page. A POST makes a token, which is shown only this once, or declares what an upload contains."""
    repository = own_repository(request, number)
    if Erasure.objects.filter(repository=repository).exists():
        raise Http404(number)
    if request.method != "POST":
        return _page(request, repository)
    if request.POST.get("part") == "upload":
        return _declare(request, repository)
    return _make_token(request, repository)


@require_POST
@for_librarians
def revoke(request: HttpRequest, number: str, token: int) -> HttpResponse:
    """Revoke a token permanently."""
    repository = own_repository(request, number)
    if revoke_token(get_object_or_404(PushToken, pk=token, repository=repository), request.user):
        messages.success(request, _("The token has been revoked. It is not accepted any more."))
    return redirect("provider_push", number)


def _declare(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Store what an upload contains; the first time this adds the feed of pushed records."""
    feed = _feed(repository) or Feed(
        repository=repository, protocol=for_pushes().name, metadata_prefix="", schedule=Feed.Schedule.MANUAL
    )
    form = UploadForm(request.POST, instance=feed)
    if not form.is_valid():
        return _page(request, repository, upload=form, status=422)
    action = "feed.changed" if feed.pk else "feed.added"
    with transaction.atomic():
        note(request.user, action, form.save(), details={"push_whole": feed.push_whole})
    messages.success(request, _("Saved."))
    return redirect("provider_push", repository.number)


@sensitive_variables("text")
def _make_token(request: HttpRequest, repository: Repository) -> HttpResponse:
    form = TokenForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, repository, form=form, status=422)
    if repository.push_tokens.filter(revoked=None).count() >= MOST_TOKENS:
        form.add_error("name", _("At most %(most)s tokens. Revoke those that are not used.") % {"most": MOST_TOKENS})
        return _page(request, repository, form=form, status=422)
    try:
        token, text = create_token(repository, form.cleaned_data["name"], request.user)
    except IntegrityError:
        form.add_error("name", _("A token with this name already exists."))
        return _page(request, repository, form=form, status=422)
    return _page(request, repository, made=token, text=text)


def _feed(repository: Repository) -> Feed | None:
    try:
        return receiving.push_feed(repository)
    except TransportError:
        return None


def _page(
    request: HttpRequest, repository: Repository, *, form: TokenForm | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    feed = _feed(repository)
    pushes = feed.pushes.select_related("harvest__feed", "feed__repository")[:MOST] if feed else ()
    state = state_of(repository.number)
    context = {
        "repository": repository,
        "feed": feed,
        "form": form or TokenForm(label_suffix=""),
        "upload": UploadForm(instance=feed or Feed()),
        "tokens": repository.push_tokens.order_by("revoked", "-pk"),
        "lines": [_line(push) for push in pushes],
        "address": f"{settings.PUBLIC_URL}{reverse('push', args=[repository.number])}",
        "folder": repository.number,
        "folder_state": FOLDERS[state],
        "is_watched": state is FolderState.WATCHED,
        "is_set_up": state is not FolderState.OFF,
        "megabytes": receiving.MAX_BYTES // MIB,
        **more,
    }
    response = render(request, "manage/providers/push.html", context, status=status)
    response["Cache-Control"] = "no-store"  # it may contain a token
    return response


def _line(push: Push) -> Line:
    report = reports.report_of(push)
    run = push.harvest
    texts = report["message"]
    return Line(
        push,
        tone(run) if run else "grey",
        result_label(run) if run else push.get_state_display(),
        texts.get(get_language()) or "",
        report["counts"],
    )
