"""Registered providers: the list, the page where a provider is changed, and staff's answers to applications.

For librarians and staff. What is allowed is decided by `harvesting.joining.application` and the forms.
"""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from aggregator.models import Erasure
from aggregator.query.parameters import TEXT_LIMIT
from harvesting.accounts.access import for_librarians, for_staff, own_repository, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.bulk.providers import search
from harvesting.joining import application as joining
from harvesting.joining.forms import ContactForm, LinksForm, ReasonForm
from harvesting.models import Application, Feed, Repository
from harvesting.models.states import STATES
from harvesting.monitoring import charts
from harvesting.registry.feed_form import FeedForm, describe_stored_login
from harvesting.registry.live_form import LiveFeedForm
from harvesting.registry.live_sources import followed
from harvesting.scheduling.schedule import describe, next_runs
from harvesting.transports.registry import live_protocols
from harvesting.trials.self_test import TooMany, asker_of, submit_self_test

PAGE = 50
RUNS = 3
FORMS = {"contact": ContactForm, "links": LinksForm}
LIVE, TRIAL = Repository.State.LIVE, Repository.State.TRIAL
OPEN = Application.State.OPEN


@require_safe
@for_librarians
def providers(request: HttpRequest) -> HttpResponse:
    """List the providers of this person; those that wait for staff first."""
    waiting = Prefetch("applications", Application.objects.filter(state=OPEN), to_attr="asked")
    own = repositories_of(request.user)
    wanted = request.GET.get("q", "").strip()[:TEXT_LIMIT]
    shown = search(own, wanted).distinct().prefetch_related(waiting, "feeds").order_by("number")
    page = Paginator(shown, PAGE).get_page(request.GET.get("page"))
    asked = Application.objects.filter(state=OPEN, repository__in=own).select_related("repository").order_by("pk")
    context = {
        "page": page,
        "strips": charts.strips([repository.pk for repository in page.object_list]),
        "strip_series": charts.STRIP_SERIES,
        "wanted": wanted,
        "asked": asked[:PAGE],
        "is_staff": _is_staff(request),
    }
    return render(request, "manage/providers/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def provider(request: HttpRequest, number: str) -> HttpResponse:
    """Show one provider: its facts, its feeds, its state. A POST changes one part of it."""
    repository = own_repository(request, number)
    forms: dict[str, Any] = {name: form(instance=_fresh(repository)) for name, form in FORMS.items()}
    forms["reason"] = ReasonForm()
    if request.method != "POST" or Erasure.objects.filter(repository=repository).exists():
        return _page(request, repository, forms)
    part = request.POST.get("part", "")
    if part in FORMS:
        forms[part] = FORMS[part](request.POST, instance=_fresh(repository))
        if forms[part].is_valid():
            _save(request, forms[part])
            return redirect("provider", number)
        return _page(request, repository, forms, 422)
    return _change_state(request, repository, forms, part)


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def provider_feed(request: HttpRequest, number: str, feed: int = 0) -> HttpResponse:
    """Show a feed of a provider, or a new one: where its records come from and when."""
    repository = own_repository(request, number)
    if Erasure.objects.filter(repository=repository).exists():
        raise Http404(number)
    stored = get_object_or_404(repository.feeds, pk=feed) if feed else Feed(repository=repository)
    is_live = bool(feed) and stored.transport_kind.is_live
    form_class = LiveFeedForm if is_live else FeedForm
    form = form_class(request.POST or None, request.FILES or None, instance=stored, label_suffix="")
    if request.method == "POST" and form.is_valid() and _save_feed(request, form, bool(feed)):
        return redirect("provider", number)
    login = describe_stored_login(stored) if feed else ""
    context = {"repository": repository, "feed": stored if feed else None, "form": form, "login": login}
    context["follow"] = followed(stored) if is_live else ""
    page = "live.html" if is_live else "feed.html"
    return render(request, f"manage/providers/{page}", context, status=422 if form.errors else 200)


@require_POST
@for_librarians
def live_trial(request: HttpRequest, number: str, feed: int) -> HttpResponse:
    """Try a live source: read its description again, or run its test search; lead to the report."""
    repository = own_repository(request, number)
    stored = get_object_or_404(repository.feeds.filter(protocol__in=live_protocols()), pk=feed)
    try:
        made = submit_self_test(
            {
                "base_url": stored.base_url,
                "protocol": stored.protocol,
                "prefix": stored.metadata_prefix,
                "live": stored.live_options,
                "profile": repository.profile,
            },
            asker=asker_of(cast(User, request.user).pk),
            credentials=bytes(stored.credentials),
        )
    except TooMany:
        messages.error(request, _("Too many tests in the last hour. Please try again a little later."))
        return redirect("provider_feed", number, feed)
    return redirect("validation", made.token)


@require_POST
@for_staff
def provider_answer(request: HttpRequest, number: str, application: int) -> HttpResponse:
    """Accept an application of a librarian, or send it back with a reason."""
    answered = get_object_or_404(
        Application.objects.select_related("repository"), pk=application, repository__number=number
    )
    granted = "grant" in request.POST
    reason = request.POST.get("reason", "").strip()[:200]
    if not granted and not reason:
        messages.error(request, _("Give a reason, so that the librarian knows what to do."))
        return redirect("provider", number)
    becomes = TRIAL if request.POST.get("grant") == TRIAL else LIVE
    if joining.answer(answered, request.user, granted=granted, reason=reason, becomes=becomes):
        if granted and answered.kind == joining.JOIN:
            if all(feed.transport_kind.is_live for feed in answered.repository.feeds.all()):
                messages.success(request, _("The provider has been approved. Readers can search it now."))
                return redirect("provider", number)
            text = (
                _("The provider has been approved. It is harvested on its schedule; this page shows the harvests.")
                if becomes == LIVE
                else _("The provider has been approved for preview: it is harvested, and readers do not see it yet.")
            )
            messages.success(request, text)
            return redirect("harvests_of", number)
        messages.success(request, _("The answer has been recorded."))
        if granted:
            return _to_erasing(request, number)
    else:
        messages.error(request, _("Someone else has already answered."))
    return redirect("provider", number)


def _to_erasing(request: HttpRequest, number: str) -> HttpResponse:
    """Go on to erasing the data of the stopped provider, or say that an administrator has to do that."""
    if role_of(request.user) >= Role.ADMINISTRATOR:
        return redirect("provider_erase", number)
    messages.info(request, _("The provider has been stopped. An administrator can now erase its data on this page."))
    return redirect("provider", number)


def _page(request: HttpRequest, repository: Repository, forms: dict[str, Any], status: int = 200) -> HttpResponse:
    feeds = [(feed, describe(feed), next_runs(feed, RUNS)) for feed in repository.feeds.order_by("pk")]
    erasure = Erasure.objects.filter(repository=repository).first()
    applications = list(repository.applications.select_related("trial").defer("trial__report", "trial__payload")[:10])
    waiting = [application for application in applications if application.state == OPEN]
    context = {
        "repository": repository,
        "forms": forms,
        "feeds": feeds,
        "is_live": bool(feeds) and all(feed.transport_kind.is_live for feed, _sentence, _runs in feeds),
        "asked": waiting,
        "answered": [application for application in applications if application.state != OPEN][:3],
        "moves": _possible_states(request, repository),
        "states": STATES.items(),
        "is_staff": _is_staff(request),
        "erasure": erasure,
        "may_erase": erasure is None and role_of(request.user) >= Role.ADMINISTRATOR,
        "may_ask_again": erasure is None
        and not repository.approved
        and not any(application.kind == "join" for application in waiting),
        "may_ask_deletion": repository.approved and not any(application.kind == "delete" for application in waiting),
        "managers": repository.managers.order_by("username"),
    }
    return render(request, "manage/providers/provider.html", context, status=status)


def _save_feed(request: HttpRequest, form: FeedForm, existed: bool) -> bool:
    """Store a feed, with an entry in the audit trail. False if the provider has another feed with this address."""
    has_moved = existed and form.source_changed
    try:
        with transaction.atomic():
            saved = form.save()
            changed = {"fields": ", ".join(name for name in form.changed_data if "login" not in name)}
            note(request.user, "feed.changed" if existed else "feed.added", saved, details=changed)
    except IntegrityError:
        form.add_error("base_url", _("This provider already has a feed with this address, format and set."))
        return False
    messages.success(request, _("Saved."))
    if has_moved:
        messages.info(request, _("The feed now reads from a different place; the next harvest fetches all records."))
    return True


def _save(request: HttpRequest, form: ContactForm | LinksForm) -> None:
    """Store what has changed, with an entry in the audit trail."""
    if form.has_changed():
        with transaction.atomic():
            changed = {name: f"{form.initial.get(name, '')} → {form.cleaned_data[name]}" for name in form.changed_data}
            Repository.objects.filter(pk=form.instance.pk).update(
                **{name: form.cleaned_data[name] for name in form.changed_data}
            )
            note(request.user, "provider.changed", form.instance, details=changed)
    messages.success(request, _("Saved."))


def _change_state(request: HttpRequest, repository: Repository, forms: dict[str, Any], part: str) -> HttpResponse:
    """Change the state of the provider, or ask staff for a decision."""
    forms["reason"] = ReasonForm(request.POST)
    reason = forms["reason"].cleaned_data["reason"] if forms["reason"].is_valid() else ""
    state = part.removeprefix("state-")
    if state in _possible_states(request, repository):
        if not reason and state != LIVE:
            return _page(request, repository, forms, 422)
        joining.change_state(repository, state, request.user, reason)
        messages.success(request, _("The provider is now: %(state)s.") % {"state": repository.get_state_display()})
    elif part == "ask-join" and not repository.approved:
        joining.apply(repository, joining.JOIN, request.user, reason)
        messages.success(request, _("Staff have been asked for approval again."))
    elif part == "ask-delete" and repository.approved:
        if not reason:
            return _page(request, repository, forms, 422)
        joining.apply(repository, joining.DELETE, request.user, reason)
        messages.success(request, _("Staff have been asked to delete the provider. Nothing changes until they answer."))
    else:
        raise Http404(part)
    return redirect("provider", repository.number)


def _possible_states(request: HttpRequest, repository: Repository) -> tuple[str, ...]:
    """Return the states to which this person may change the provider."""
    if not repository.approved:
        return ()
    row = repository.state_row
    return (*row.next, *row.by_staff) if _is_staff(request) else row.next


def _fresh(repository: Repository) -> Repository:
    """Return a copy, because a form writes into its instance and the page must show what is stored."""
    return Repository.objects.get(pk=repository.pk)


def _is_staff(request: HttpRequest) -> bool:
    return role_of(request.user) >= Role.STAFF
