"""Registration and error reports in Django's admin. Librarians see only the repositories they manage."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from harvesting.compression import unpack_payload
from harvesting.harvest import create_harvest
from harvesting.messages import describe
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from harvesting.registration import RegistrationError, check_number, claim_number
from harvesting.transports.base import TransportError
from metadata.issue import Issue
from metadata.validation.catalogue import sentence


class OwnRepositoriesAdmin(admin.ModelAdmin):
    """Rows of the user's own repositories only; `repository_path` leads from the row to its repository."""

    repository_path = "repository"
    show_full_result_count = False  # no count over a million rows

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        own = Repository.objects.for_user(request.user)
        return super().get_queryset(request).filter(**{f"{self.repository_path}__in": own})


class ReadOnly:
    """For ModelAdmin: what the program wrote is looked at, never edited by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, OwnRepositoriesAdmin):
    """What was harvested from the user's own repositories, to look at."""


class RepositoryForm(forms.ModelForm):
    """Refuses a number that was given out before, as an ordinary form error."""

    class Meta:
        model = Repository
        fields = [
            "number",
            "name",
            "name_yomi",
            "name_en",
            "kind",
            "state",
            "state_reason",
            "contact_email",
            "home_page",
            "link_template",
            "licence",
            "managers",
        ]

    def clean_number(self) -> str:
        number = self.cleaned_data["number"]
        if self.instance.pk is None and number:
            try:
                check_number(number)
            except RegistrationError as error:
                raise forms.ValidationError(str(error)) from error
        return number


class FeedInline(admin.StackedInline):
    model = Feed
    extra = 0
    min_num = 1
    readonly_fields = ["granularity", "deleted_record", "watermark"]
    fields = ["protocol", "base_url", "metadata_prefix", "set_spec", "every_hours", *readonly_fields]


@admin.register(Repository)
class RepositoryAdmin(admin.ModelAdmin):
    form = RepositoryForm
    inlines = [FeedInline]
    list_display = ["number", "name", "kind", "state", "last_harvest"]
    list_filter = ["state", "kind"]
    search_fields = ["number", "name", "name_yomi", "name_en"]
    filter_horizontal = ["managers"]
    actions = ["harvest_now", "harvest_everything"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Repository]:
        return Repository.objects.for_user(request.user).prefetch_related("feeds")

    def get_readonly_fields(self, request: HttpRequest, obj: Repository | None = None) -> list[str]:
        fixed = ["number"] if obj else []
        return fixed if request.user.is_superuser else [*fixed, "managers", "state"]

    def save_model(self, request: HttpRequest, obj: Repository, form: Any, change: bool) -> None:
        if not change:
            obj.number = claim_number(obj.number)
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Repository | None = None) -> bool:
        return False  # a repository is stopped with a reason; its number and history stay

    @admin.display(description=_("last harvest"))
    def last_harvest(self, repository: Repository) -> str:
        last = Harvest.objects.filter(feed__in=repository.feeds.all()).first()
        return f"#{last.pk} {last.get_state_display()}" if last else "–"

    @admin.action(description=_("Harvest now (what has changed)"))
    def harvest_now(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        self._queue(request, queryset, full=False)

    @admin.action(description=_("Harvest everything again"))
    def harvest_everything(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        self._queue(request, queryset, full=True)

    def _queue(self, request: HttpRequest, repositories: QuerySet[Repository], *, full: bool) -> None:
        """The dispatcher hands the new rows to a worker within seconds."""
        for feed in Feed.objects.filter(repository__in=repositories).select_related("repository"):
            try:
                run = create_harvest(feed, full=full)
                self.message_user(request, _("Harvest #%(id)s of %(feed)s is queued.") % {"id": run.pk, "feed": feed})
            except TransportError as error:
                self.message_user(request, f"{feed}: {describe(error.code, error.facts)}", messages.WARNING)


OUTCOME_COLUMNS = (
    "feed",
    "kind",
    "state",
    "received",
    "created",
    "updated",
    "unchanged",
    "deleted",
    "rejected",
    "queued_at",
    "message",
)


@admin.register(Harvest)
class HarvestAdmin(ReadOnlyAdmin):
    repository_path = "feed__repository"
    list_display = ["id", *OUTCOME_COLUMNS]
    list_filter = ["state", "kind", ("feed__repository", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["feed__repository"]
    fields = [
        *OUTCOME_COLUMNS,
        "from_date",
        "until_date",
        "pages",
        "complete_list_size",
        "issue_counts",
        "first_response_date",
        "resumption_token",
        "resume_at",
        "started_at",
        "finished_at",
    ]

    @admin.display(description=_("message"))
    def message(self, run: Harvest) -> str:
        return describe(run.code, run.facts)


class IssueInline(admin.TabularInline):
    model = RecordIssue
    extra = 0
    can_delete = False
    fields = ("code", "severity", "field", "explanation")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("what it means"))
    def explanation(self, issue: RecordIssue) -> str:
        return explain(issue)


RECORD_COLUMNS = ("public_id", "identifier", "repository", "metadata_prefix", "datestamp", "deleted", "refused")


@admin.register(SourceRecord)
class SourceRecordAdmin(ReadOnlyAdmin):
    list_display = [*RECORD_COLUMNS]
    list_filter = [("repository", admin.RelatedOnlyFieldListFilter), "deleted", "refused"]
    list_select_related = ["repository"]
    search_fields = ["=public_id", "=identifier"]
    search_help_text = _("The whole identifier, as the provider sends it, or our own id.")
    fields = [*RECORD_COLUMNS, "set_specs", "changed_at", "accepted_version", "refused_version"]
    inlines = [IssueInline]

    @admin.display(description=_("version in use"))
    def accepted_version(self, record: SourceRecord) -> str:
        return unpack_payload(record.payload).decode("utf-8", "replace")

    @admin.display(description=_("version refused"))
    def refused_version(self, record: SourceRecord) -> str:
        return unpack_payload(record.rejected_payload).decode("utf-8", "replace")


@admin.register(RecordIssue)
class RecordIssueAdmin(ReadOnlyAdmin):
    repository_path = "source_record__repository"
    list_display = ["code", "severity", "field", "explanation", "source_record", "harvest"]
    list_filter = ["severity", ("source_record__repository", admin.RelatedOnlyFieldListFilter), "code"]
    list_select_related = ["source_record", "harvest__feed__repository"]

    @admin.display(description=_("what it means"))
    def explanation(self, issue: RecordIssue) -> str:
        return explain(issue)


def explain(issue: RecordIssue) -> str:
    """The issue as a sentence in the language of the page."""
    language = "en" if translation.get_language() == "en" else "ja"
    return sentence(Issue(code=issue.code, field=issue.field, value=issue.value), language)
