"""Harvests in the admin: what happened, in sentences; unreadable pages; the actions pause, resume, cancel, decide."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.options import ActionLocation, InlineModelAdmin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.admin.base import FeedRepositoryFilter, ReadOnlyAdmin, ReadOnlyInline
from harvesting.admin.decision import decide
from harvesting.admin.labels import column
from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.harvest.control import possible_actions
from harvesting.messages import describe
from harvesting.models import BrokenPage, DateWindow, Harvest
from harvesting.monitoring.run_summary import COUNTS, STATES, issues_of, observations_of, what_happened
from harvesting.monitoring.wording import shown_state
from harvesting.records.compression import unpack_payload
from harvesting.runs import lifecycle
from harvesting.types import TransportError

HEADERS = {
    "Content-Type": "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "no-store",
}

EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]

SHORT = 90  # characters of a message in the list


class WindowInline(ReadOnlyInline):
    model = DateWindow
    fields = readonly_fields = ("state", "begin", "end", "reason", "closed")

    begin = column("from_date", gettext_lazy("from"))
    end = column("until_date", gettext_lazy("until"))
    closed = column("closed_at", gettext_lazy("closed at"))

    @admin.display(description=gettext_lazy("reason"))
    def reason(self, window: DateWindow) -> str:
        return describe(window.code, window.facts)


class BrokenPageInline(ReadOnlyInline):
    model = BrokenPage
    fields = readonly_fields = ("stored", "place", "what", "bytes_as_they_came")

    stored = column("stored_at", gettext_lazy("stored at"))
    place = column("url", gettext_lazy("Address"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[BrokenPage]:
        return super().get_queryset(request).defer("body")

    @admin.display(description=gettext_lazy("what happened"))
    def what(self, page: BrokenPage) -> str:
        return describe(page.code, {"url": page.url, "reason": page.reason})

    @admin.display(description=gettext_lazy("the page"))
    def bytes_as_they_came(self, page: BrokenPage) -> str:
        address = reverse("admin:harvesting_harvest_broken_page", args=[page.harvest_id, page.pk])
        return format_html('<a href="{}">{}</a>', address, _("Download"))


@admin.register(Harvest)
class HarvestAdmin(ReadOnlyAdmin):
    repository_path = "feed__repository"
    list_display = [
        *("id", "state_in_short", "feed", "in_short", "queued_in_short"),
        *("received", "rejected", "deleted_in_all", "kind"),
    ]
    list_filter = ["state", "kind", FeedRepositoryFilter]
    list_select_related = ["feed__repository"]
    search_fields = ["=id", "=feed__repository__number"]
    search_help_text = gettext_lazy("The number of a harvest or of a repository.")
    actions = ["pause", "resume", "cancel"]
    fieldsets = [
        (None, {"fields": ["feed", "kind", "state_sentence", "message", "findings"]}),
        (gettext_lazy("Records"), {"fields": [COUNTS[:6], ("held", "swept"), "issues_found"]}),
        (
            gettext_lazy("Timeline"),
            {
                "fields": [
                    *("queued_at", "started_at", "finished_at", "goes_on_at", "asked_for"),
                    *("pages_read", "announced", "before"),
                ]
            },
        ),
        (
            gettext_lazy("For the operator"),
            {
                "classes": ["collapse"],
                "fields": [
                    *("phase", "was_complete", "begin", "end", "first_answer"),
                    *("place_in_list", "claims", "waited", "held_by", "lease"),
                ],
            },
        ),
    ]

    goes_on_at = column("resume_at", gettext_lazy("resumes at"))
    pages_read = column("pages", gettext_lazy("pages read"))
    announced = column("complete_list_size", gettext_lazy("records announced by the provider"))
    before = column("live_before", gettext_lazy("records at the start"))
    was_complete = column("exhaustive", gettext_lazy("list was complete"), boolean=True)
    begin = column("from_date", gettext_lazy("from"))
    end = column("until_date", gettext_lazy("until"))
    first_answer = column("first_response_date", gettext_lazy("first response"))
    place_in_list = column("resumption_token", gettext_lazy("position in the list"))
    claims = column("attempts", gettext_lazy("times claimed by a worker"))
    waited = column("retries", gettext_lazy("number of waits"))
    held_by = column("owner", gettext_lazy("running worker"))
    lease = column("lease_until", gettext_lazy("lease expires"))

    def get_inlines(self, request: HttpRequest, obj: Harvest | None) -> "list[type[InlineModelAdmin[Any, Any]]]":
        """Return only the tables that have rows."""
        if obj is None:
            return []
        inlines = ((WindowInline, obj.windows.exists()), (BrokenPageInline, obj.broken_pages.exists()))
        return [inline for inline, has_rows in inlines if has_rows]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:pk>/decision/", view(self.decision), name="harvesting_harvest_decision"),
            path("<int:pk>/pages/<int:page>/", view(self.broken_page), name="harvesting_harvest_broken_page"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        run = self.get_object(request, object_id)
        is_waiting = run is not None and awaits_decision(run) and self.has_steer_permission(request)
        question = {
            "person_is_asked": is_waiting,
            "asked_about": what_happened(run.code, run.facts) if run and is_waiting else "",
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **question})

    def get_actions(
        self, request: HttpRequest, action_location: ActionLocation = ActionLocation.CHANGE_LIST
    ) -> dict[str, Any]:
        """Return all actions for the list; on the page of a run, only those that its state allows."""
        actions = super().get_actions(request, action_location=action_location)
        if action_location is not ActionLocation.CHANGE_FORM or request.resolver_match is None:
            return actions
        run = self.get_object(request, unquote(request.resolver_match.kwargs["object_id"]))
        allowed = possible_actions(run) if run else frozenset()
        return {name: action for name, action in actions.items() if name in allowed}

    def has_steer_permission(self, request: HttpRequest) -> bool:
        """Whether the user may pause, resume, cancel and decide; `get_queryset` limits this to the user's own runs."""
        return request.user.has_perm("harvesting.change_harvest")

    def decision(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """The page of a run that waits for a decision; POST carries out the answer."""
        return decide(request, self, pk)

    def broken_page(self, request: HttpRequest, pk: int, page: int) -> HttpResponseBase:
        return download(self, request, pk, page)

    @admin.display(description=gettext_lazy("deleted"))
    def deleted_in_all(self, run: Harvest) -> int:
        return run.deleted + run.swept

    @admin.display(description=gettext_lazy("stop request"))
    def asked_for(self, run: Harvest) -> str:
        return run.get_stop_request_display() or "–"

    @admin.display(description=gettext_lazy("message"))
    def in_short(self, run: Harvest) -> str:
        return what_happened(run.code, run.facts, SHORT) or "–"

    @admin.display(description=gettext_lazy("message"))
    def message(self, run: Harvest) -> str:
        return describe(run.code, run.facts) or "–"

    @admin.display(description=gettext_lazy("queued at"))
    def queued_in_short(self, run: Harvest) -> str:
        return date_format(timezone.localtime(run.queued_at), "Y-m-d H:i")

    @admin.display(description=gettext_lazy("state"))
    def state_in_short(self, run: Harvest) -> str:
        return shown_state(run)

    @admin.display(description=gettext_lazy("state"))
    def state_sentence(self, run: Harvest) -> str:
        meaning = (
            _("The harvest continues once a person has decided.")
            if awaits_decision(run)
            else STATES[Harvest.State(run.state)]
        )
        return f"{shown_state(run)} – {meaning}"

    @admin.display(description=gettext_lazy("observations"))
    def findings(self, run: Harvest) -> str:
        return format_html_join("", '<p class="notice">{} {}</p>', observations_of(run)) or "–"

    @admin.display(description=gettext_lazy("issues"))
    def issues_found(self, run: Harvest) -> str:
        return issues_of(run) or "–"

    @admin.action(description=gettext_lazy("Pause"), permissions=["steer"], location=EVERYWHERE)
    def pause(self, request: HttpRequest, queryset: QuerySet[Harvest]) -> None:
        self._steer(request, queryset, lifecycle.pause, _("Harvest #%(id)s is being paused."))

    @admin.action(description=gettext_lazy("Resume"), permissions=["steer"], location=EVERYWHERE)
    def resume(self, request: HttpRequest, queryset: QuerySet[Harvest]) -> None:
        """Resume paused runs; a run that waits for a decision is skipped with a warning."""
        waiting = {run.pk for run in queryset if awaits_decision(run)}
        for pk in waiting:
            messages.warning(request, _("Harvest #%(id)s is waiting for a decision. See its page.") % {"id": pk})
        self._steer(request, queryset.exclude(pk__in=waiting), lifecycle.resume, _("Harvest #%(id)s is being resumed."))

    @admin.action(description=gettext_lazy("Cancel"), permissions=["steer"], location=EVERYWHERE)
    def cancel(self, request: HttpRequest, queryset: QuerySet[Harvest]) -> None:
        self._steer(request, queryset, lifecycle.cancel, _("Harvest #%(id)s is being cancelled."))

    def _steer(self, request: HttpRequest, runs: QuerySet[Harvest], act: Callable[[Harvest], bool], done: str) -> None:
        for run in runs:
            try:
                changed = act(run)
            except TransportError as error:  # a worker claimed the run at the same moment
                messages.warning(request, f"#{run.pk}: {describe(error.code, error.facts)}")
                continue
            if changed:
                self.log_change(request, run, done % {"id": run.pk})
                messages.success(request, done % {"id": run.pk})
            else:
                text = _("Harvest #%(id)s is “%(state)s”, so this cannot be done.")
                messages.warning(request, text % {"id": run.pk, "state": run.get_state_display()})


def download(admin: ModelAdmin[Any], request: HttpRequest, harvest: int, page: int) -> HttpResponse:
    """Send the bytes of an unreadable page as an attachment. Raises Http404 for pages of other people's runs."""
    runs = admin.get_queryset(request).filter(pk=harvest)
    broken_page = BrokenPage.objects.filter(harvest__in=runs, pk=page).first()
    if broken_page is None or not admin.has_view_permission(request):
        raise Http404
    name = f"harvest-{broken_page.harvest_id}-page-{broken_page.pk}.bin"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(unpack_payload(bytes(broken_page.body)), headers={**HEADERS, **disposition})
