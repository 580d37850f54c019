"""Feeds in the admin: one form for all protocols, shown inside the page of the repository or on a page of its own."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.options import ActionLocation, InlineModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.admin.base import OwnRepositoriesAdmin, ReadOnlyInline, RepositoryFilter
from harvesting.admin.labels import column
from harvesting.harvest.circuit_breaker import rest_message
from harvesting.harvest.start import refusal_message, start, start_message
from harvesting.messages import describe
from harvesting.models import DateWindow, Feed, Repository
from harvesting.models.states import HARVESTED
from harvesting.registry.feed_form import FeedForm, describe_stored_login
from harvesting.scheduling.schedule import describe as describe_schedule
from harvesting.scheduling.schedule import next_runs
from harvesting.types import TransportError

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PREVIEWED = 3  # next harvests shown
EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]

FIELDSETS: Any = [
    (None, {"fields": ["protocol", "base_url", "upload", "metadata_prefix", "set_spec"]}),
    (
        gettext_lazy("Harvest schedule"),
        {"fields": ["schedule", "cron", ("quiet_from", "quiet_until"), "full_every_days", "silent_after_days"]},
    ),
    (
        gettext_lazy("Login at the provider"),
        {
            "classes": ["collapse"],
            "fields": ["login_kind", "login_name", "login_header", "login_secret", "forget_login"],
        },
    ),
    (
        gettext_lazy("Only if the provider requires it"),
        {
            "classes": ["collapse"],
            "fields": ["full_url", "columns", "method", "encoding", "ca_certificate", "overlap"],
        },
    ),
]
STATE = (
    gettext_lazy("State"),
    {"fields": ["runs", "login", "watermark", "date_stamps", "deletions", "trouble", "notifications"]},
)


# The meanings of deletedRecord in Identify (OAI-PMH 2.0, section 2.5.1).
DELETIONS: "dict[str, StrOrPromise]" = {
    Feed.DeletedRecord.NO: gettext_lazy("not reported: only a full harvest shows them"),
    Feed.DeletedRecord.TRANSIENT: gettext_lazy("reported for a limited time"),
    Feed.DeletedRecord.PERSISTENT: gettext_lazy("reported permanently"),
}


class FeedInline(admin.StackedInline[Feed, Repository]):
    model = Feed
    form = FeedForm
    extra = 0
    min_num = 1
    show_change_link = True
    fieldsets = FIELDSETS


class GapInline(ReadOnlyInline):
    """The date windows that could not be harvested and must be requested again."""

    model = DateWindow
    verbose_name_plural = gettext_lazy("Gaps: date windows that must be fetched again")
    fields = readonly_fields = ("begin", "end", "reason", "noted")

    begin = column("from_date", gettext_lazy("from"))
    end = column("until_date", gettext_lazy("until"))
    noted = column("noted_at", gettext_lazy("recorded at"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[DateWindow]:
        return super().get_queryset(request).filter(state=DateWindow.State.GAP, closed_at=None)

    @admin.display(description=gettext_lazy("reason"))
    def reason(self, window: DateWindow) -> str:
        return describe(window.code, window.facts)


@admin.register(Feed)
class FeedAdmin(OwnRepositoriesAdmin):
    form = FeedForm
    list_display = ["__str__", "protocol", "place", "schedule_sentence", "watermark", "trouble"]
    list_filter = ["protocol", "schedule", RepositoryFilter]
    list_select_related = ["repository"]
    ordering = ["repository__number", "pk"]
    search_fields = ["base_url", "repository__number", "repository__name"]
    readonly_fields = ["repository", *STATE[1]["fields"]]
    actions = ["harvest_now", "harvest_everything"]

    date_stamps = column("granularity", gettext_lazy("date stamp granularity"))

    def get_fieldsets(self, request: HttpRequest, obj: Feed | None = None) -> Any:
        first = (None, {"fields": ["repository", *FIELDSETS[0][1]["fields"]]})
        return [first, STATE, *FIELDSETS[1:]]

    def get_inlines(self, request: HttpRequest, obj: Feed | None) -> "list[type[InlineModelAdmin[Any, Any]]]":
        has_gaps = obj is not None and obj.windows.filter(state=DateWindow.State.GAP, closed_at=None).exists()
        return [GapInline] if has_gaps else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # feeds are added on the page of their repository

    def save_model(self, request: HttpRequest, obj: Feed, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        show_consequences(request, form)

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        message = super().construct_change_message(request, form, formsets, add)
        return add_replaced_addresses(message, [form])

    @admin.display(description=gettext_lazy("Address"))
    def place(self, feed: Feed) -> str:
        return displayed_address(feed)

    @admin.display(description=gettext_lazy("schedule"))
    def schedule_sentence(self, feed: Feed) -> str:
        return describe_schedule(feed)

    @admin.display(description=gettext_lazy("next harvests"))
    def runs(self, feed: Feed) -> str:
        moments = [date_format(moment, "DATETIME_FORMAT") for moment in next_runs(feed, PREVIEWED)]
        return "\n".join([describe_schedule(feed), *moments])

    @admin.display(description=gettext_lazy("deletions at the provider"))
    def deletions(self, feed: Feed) -> str:
        return str(DELETIONS.get(feed.deleted_record, "–"))

    @admin.display(description=gettext_lazy("login"))
    def login(self, feed: Feed) -> str:
        return describe_stored_login(feed)

    @admin.display(description=gettext_lazy("trouble"))
    def trouble(self, feed: Feed) -> str:
        text = _("%(count)s failed harvests in a row") % {"count": feed.failures} if feed.failures else ""
        return rest_message(feed) or text or "–"

    @admin.display(description=gettext_lazy("notifications (WebSub)"))
    def notifications(self, feed: Feed) -> str:
        subscription = getattr(feed, "subscription", None)
        if subscription is None:
            return _("none: the provider offers no hub")
        return f"{subscription.get_state_display()}: {subscription.hub}"

    @admin.action(description=gettext_lazy("Harvest now (incremental)"), location=EVERYWHERE)
    def harvest_now(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        queue_harvests(request, queryset, full=False)

    @admin.action(description=gettext_lazy("Harvest everything again"), location=EVERYWHERE)
    def harvest_everything(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        queue_harvests(request, queryset, full=True)


def displayed_address(feed: Feed) -> str:
    """The address of a feed for display. The path of a file on the server is not shown."""
    return feed.base_url if "://" in feed.base_url else _("a file on the server")


def show_consequences(request: HttpRequest, form: FeedForm) -> None:
    """Tell the user what saving the form means for the next harvests."""
    feed = form.instance
    if form.source_changed:
        messages.info(
            request,
            _("%(feed)s: the feed now reads from a different place; the next harvest fetches all records.")
            % {"feed": feed},
        )
    if form.cleaned_data.get("upload") and feed.repository.state in HARVESTED:
        messages.info(request, _("%(feed)s: the file will be harvested within a minute.") % {"feed": feed})
    moments = next_runs(feed, PREVIEWED)
    if moments and {"schedule", "cron", "quiet_from", "quiet_until"} & set(form.changed_data):
        shown = ", ".join(date_format(moment, "SHORT_DATETIME_FORMAT") for moment in moments)
        messages.info(request, _("%(feed)s: next harvests %(moments)s") % {"feed": feed, "moments": shown})


def add_replaced_addresses(message: Any, forms: list[FeedForm]) -> Any:
    """Add the old and new address of each changed feed to Django's change message.

    Afterwards the history shows where a feed was redirected, and by whom.
    """
    for form in forms:
        before, after = form.before[1], form.instance.base_url
        if before and form.instance.pk and before != after:
            message.append({"changed": {"name": "feed", "object": f"{before} → {after}", "fields": ["baseURL"]}})
    return message


def queue_harvests(request: HttpRequest, feeds: QuerySet[Feed], *, full: bool) -> None:
    """Queue a run for each feed. The dispatcher passes the new rows to a worker within seconds."""
    for feed in feeds.select_related("repository"):
        try:
            run = start(feed, request.user, full=full)
            messages.success(request, start_message(run, feed))
        except TransportError as error:
            messages.warning(request, f"{feed}: {refusal_message(feed, error)}")
