"""Registering a provider, page by page. Drafts are handled by `harvesting.joining.application`.

Every page is a form of its own: "back" stores what was typed, "next" checks it first. Nothing needs JavaScript.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from aggregator.trials.forecast import Expected, expected
from aggregator.trials.report import page_of
from aggregator.trials.sample import libraries_of, link_samples
from aggregator.views.public.links import MEANINGS
from aggregator.views.public.self_test import failure_text
from harvesting.accounts.access import for_librarians
from harvesting.joining import application as joining
from harvesting.joining.application import ADDRESS, CONTACT, LINKS, OFFER, SAMPLE, SCHEDULE, STEPS, SUMMARY
from harvesting.joining.forms import AddressForm
from harvesting.live.kinds.json_service import MAPPED
from harvesting.models import Draft, Feed, SelfTest
from harvesting.registry.live_sources import followed
from harvesting.registry.registration import RegistrationError, is_web_address, providers_at
from harvesting.scheduling.schedule import describe, next_runs
from harvesting.trials.self_test import TooMany, workers
from metadata.links import PLACEHOLDERS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TITLES: "dict[str, StrOrPromise]" = {
    ADDRESS: gettext_lazy("Address"),
    OFFER: gettext_lazy("Format and sets"),
    SAMPLE: gettext_lazy("Trial harvest"),
    LINKS: gettext_lazy("Links"),
    SCHEDULE: gettext_lazy("Schedule"),
    CONTACT: gettext_lazy("Name and contact"),
    SUMMARY: gettext_lazy("Check and register"),
}
# Of a catalogue that is only searched.
LIVE_TITLES: "dict[str, StrOrPromise]" = {
    **TITLES,
    OFFER: gettext_lazy("Description and fields"),
    SAMPLE: gettext_lazy("Test search"),
}
LATER = gettext_lazy("Too many tests in the last hour. Please try again a little later.")
MOST_DRAFTS = 20  # of one person
MOST_LIBRARIES = 20  # of the sample, listed
RUNS = 5  # next harvests that are listed


@dataclass(frozen=True, slots=True)
class Place:
    """An entry in the list of the registration's pages. here: it is the current page; done: it is complete."""

    name: str
    title: str
    here: bool
    done: bool


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def join(request: HttpRequest) -> HttpResponse:
    """List one's own registrations in progress; a POST begins a new one."""
    drafts = Draft.objects.filter(owner=_person(request))
    if request.method == "POST":
        if drafts.count() >= MOST_DRAFTS:
            messages.error(request, _("Finish or discard one of the registrations in progress first."))
            return redirect("join")
        return _redirect_to(Draft.objects.create(owner=_person(request)), ADDRESS)
    shown = drafts.select_related("looked")[:MOST_DRAFTS]
    rows = [(draft, _name_of(draft), _page_to_continue(draft)) for draft in shown]
    return render(request, "manage/join/list.html", {"drafts": rows})


@require_POST
@for_librarians
def discard(request: HttpRequest, draft: int) -> HttpResponse:
    """Discard a registration in progress."""
    joining.discard(_own(request, draft))
    messages.success(request, _("The unfinished registration was discarded."))
    return redirect("join")


@require_http_methods(["GET", "HEAD", "POST"])
@for_librarians
def step(request: HttpRequest, draft: int, name: str) -> HttpResponse:
    """Show a page of the registration; a POST sends it."""
    stored = _own(request, draft)
    if request.method == "POST":
        return _handle_post(request, stored, name)
    form = joining.form_of(stored, name)
    return _show(request, stored, name, form)


def _handle_post(request: HttpRequest, draft: Draft, name: str) -> HttpResponse:
    """Store what was typed; go back without checking it, or forward if it is valid."""
    if name not in (SAMPLE, SUMMARY):
        joining.store_input(draft, name, request.POST)
    if "do-back" in request.POST:
        return _redirect_to(draft, _beside(draft, name, -1))
    if name in (SAMPLE, SUMMARY):
        return {SAMPLE: _sample, SUMMARY: _finish}[name](request, draft)
    form = joining.form_of(draft, name, request.POST, request.FILES)
    if form is None or not form.is_valid():
        return _show(request, draft, name, form, 422)
    if "do-show" in request.POST:
        return _show(request, draft, name, form)
    try:
        _start_follow_up(draft, name, form)
    except TooMany:
        form.add_error(None, str(LATER))
        return _show(request, draft, name, form, 429)
    return _redirect_to(draft, _beside(draft, name, 1))


def _beside(draft: Draft, name: str, distance: int) -> str:
    """The page before (-1) or after (1) a page."""
    steps = joining.steps_of(draft)
    place = steps.index(name) if name in steps else 0
    return steps[min(max(0, place + distance), len(steps) - 1)]


def _start_follow_up(draft: Draft, name: str, form: joining.Form) -> None:
    """Start the self-test that a completed page leads to, if any: of the address, or the trial. Raises TooMany."""
    if isinstance(form, AddressForm):
        joining.store_address(draft, form)
    elif name == OFFER:
        joining.request_sample(draft)


def _sample(request: HttpRequest, draft: Draft) -> HttpResponse:
    if "do-again" in request.POST:
        try:
            joining.request_sample(draft)
        except TooMany:
            messages.error(
                request,
                _("Too many tests in the last hour. Please try again a little later."),
            )
        return _redirect_to(draft, SAMPLE)
    return _redirect_to(draft, LINKS)


def _finish(request: HttpRequest, draft: Draft) -> HttpResponse:
    try:
        repository = joining.submit(draft, _person(request))
    except RegistrationError:
        return _show(request, draft, SUMMARY, None, 422)
    text = (
        _("%(number)s %(name)s has been registered. Staff have been asked to approve it.")
        if all(feed.transport_kind.is_live for feed in repository.feeds.all())
        else _(
            "%(number)s %(name)s has been registered. Staff have been asked to approve it; "
            "the first harvest starts after approval."
        )
    )
    messages.success(request, text % {"number": repository.number, "name": repository.label})
    return redirect("provider", repository.number)


def _show(request: HttpRequest, draft: Draft, name: str, form: Any, status: int = 200) -> HttpResponse:
    lacking = joining.missing(draft)
    is_live = joining.is_live(draft)
    titles = LIVE_TITLES if is_live else TITLES
    places = [
        Place(page_name, str(titles[page_name]), page_name == name, _is_done(draft, page_name, lacking))
        for page_name in joining.steps_of(draft)
    ]
    context = {"draft": draft, "step": name, "title": titles[name], "places": places, "form": form, "is_live": is_live}
    context |= CONTEXTS[name](draft, form)
    return render(request, f"manage/join/{name}.html", context, status=status)


def _address(draft: Draft, form: Any) -> dict[str, Any]:
    return {}


def _offer(draft: Draft, form: Any) -> dict[str, Any]:
    """The context with what was found at the address, or that it is still being requested, or why that failed.

    same: approved providers that already have this address.
    """
    address = joining.feed_so_far(draft).base_url
    same = providers_at(address) if is_web_address(address) else []
    context = _self_test_context(draft.looked)
    return {"same": [repository for repository in same if repository.approved], "columns": MAPPED, **context}


def _trial(draft: Draft, form: Any) -> dict[str, Any]:
    """The context with the report of the trial harvest, and what matching would do with every sampled record."""
    context = _self_test_context(draft.trial)
    if draft.trial and draft.trial.state == SelfTest.State.DONE:
        report = joining.report_of(draft.trial)
        records = [sampled.record for sampled in report.records]
        outcomes = expected(records)
        libraries = libraries_of(records, joining.repository_of(draft))
        context |= {
            "expected": outcomes,
            "counts": _counts(outcomes),
            "libraries": libraries[:MOST_LIBRARIES],
            "more_libraries": max(0, len(libraries) - MOST_LIBRARIES),
            "follow": followed(joining.feed_so_far(draft)) if joining.is_live(draft) else "",
        }
    return context


def _self_test_context(made: SelfTest | None) -> dict[str, Any]:
    """The context for a self-test of the address: under way, failed or done."""
    if made is None:
        return {}
    context: dict[str, Any] = {"made": made, "state": reverse("validation_state", args=[made.token])}
    if not made.is_over:
        return context | {"workers": workers()}
    if made.state == SelfTest.State.FAILED:
        return context | failure_text(made)
    return context | {"page": page_of(joining.report_of(made))}


def _counts(outcomes: list[Expected]) -> dict[str, int]:
    return {name: sum(outcome.outcome == name for outcome in outcomes) for name in ("joins", "asked", "new")}


def _links(draft: Draft, form: Any) -> dict[str, Any]:
    """The links of the sample's records."""
    repository = joining.repository_of(draft)
    report = joining.report_of(draft.trial or draft.looked)
    meanings = [(name, MEANINGS[name]) for name in PLACEHOLDERS]
    return {"samples": link_samples(repository, report), "repository": repository, "meanings": meanings}


def _schedule(draft: Draft, form: Any) -> dict[str, Any]:
    """The next harvests in words."""
    feed = joining.feeds_of(draft)[0]
    return {"sentence": describe(feed), "runs": next_runs(feed, RUNS), "feed": feed}


def _contact(draft: Draft, form: Any) -> dict[str, Any]:
    return {}


def _summary(draft: Draft, form: Any) -> dict[str, Any]:
    """Everything as it would be registered, and what is missing."""
    lacking = [(name, TITLES[name]) for name in joining.missing(draft)]
    feeds = joining.feeds_of(draft)
    first: Feed = feeds[0]
    return {
        "lacking": lacking,
        "repository": joining.repository_of(draft),
        "feeds": feeds,
        "feed": first,
        "sentence": describe(first),
        "runs": next_runs(first, 1),
        "trial": joining.report_of(draft.trial),
        "same": providers_at(first.base_url) if is_web_address(first.base_url) else [],
    }


CONTEXTS = {
    ADDRESS: _address,
    OFFER: _offer,
    SAMPLE: _trial,
    LINKS: _links,
    SCHEDULE: _schedule,
    CONTACT: _contact,
    SUMMARY: _summary,
}


def _is_done(draft: Draft, name: str, lacking: list[str]) -> bool:
    if name == SAMPLE:
        return bool(draft.trial and draft.trial.state == SelfTest.State.DONE)
    return name != SUMMARY and name not in lacking


def _page_to_continue(draft: Draft) -> str:
    """Return the page after the last one with stored input; the first page if nothing was typed."""
    typed = [name for name in STEPS if name in draft.typed]
    last = typed[-1] if typed else ADDRESS
    return STEPS[min(len(STEPS) - 1, STEPS.index(last) + bool(typed))]


def _name_of(draft: Draft) -> str:
    """Return the name of a draft: its provider's name, else its address."""
    repository, feed = joining.repository_of(draft), joining.feed_so_far(draft)
    return repository.name or (feed.base_url if is_web_address(feed.base_url) else "") or _("No address yet")


def _own(request: HttpRequest, pk: int) -> Draft:
    drafts = Draft.objects.filter(owner=_person(request)).select_related("looked", "trial")
    return get_object_or_404(drafts, pk=pk)


def _person(request: HttpRequest) -> User:
    """Return the user; `for_librarians` has refused everybody who is not logged in."""
    return cast(User, request.user)


def _redirect_to(draft: Draft, name: str) -> HttpResponse:
    if name not in STEPS:
        raise Http404(name)
    return redirect("join_step", draft.pk, name)
