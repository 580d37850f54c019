"""Source records and their issues in the admin: the payloads received, the issues, restoring deleted records."""

from collections.abc import Buffer

from django.contrib import admin, messages
from django.contrib.admin.options import ActionLocation
from django.db.models import QuerySet
from django.db.models.expressions import Combinable
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from harvesting.admin.base import ReadOnlyAdmin, ReadOnlyInline, RepositoryFilter, explain, rule_link
from harvesting.completion.deletion_decisions import restore
from harvesting.models import LARGE_COLUMNS, RecordIssue, Repository, SourceRecord
from harvesting.records.compression import unpack_payload

FOUND = 500  # records found by one identifier: each repository has one at most
SHOWN = 100_000  # characters shown of a payload; a usual record has a few thousand
RECORD_COLUMNS = ("public_id", "identifier", "repository", "metadata_prefix", "datestamp", "deleted", "refused")


class IssueInline(ReadOnlyInline):
    model = RecordIssue
    fields = readonly_fields = ("rule", "severity", "field", "result", "explanation")

    @admin.display(description=_("rule"))
    def rule(self, issue: RecordIssue) -> str:
        return rule_link(issue)

    @admin.display(description=_("what it means"))
    def explanation(self, issue: RecordIssue) -> str:
        return explain(issue)


@admin.register(SourceRecord)
class SourceRecordAdmin(ReadOnlyAdmin):
    list_display = [*RECORD_COLUMNS]
    list_filter = [RepositoryFilter, "deleted", "deletion", "refused"]
    list_select_related = ["repository"]
    search_fields = ["=public_id", "=identifier"]
    search_help_text = _("The complete identifier as sent by the provider, or the public ID.")
    fields = [
        *RECORD_COLUMNS,
        "deletion",
        "deleted_at",
        "successor",
        "set_specs",
        "changed_at",
        "accepted_version",
        "refused_version",
    ]
    inlines = [IssueInline]
    actions = ["restore"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[SourceRecord], search_term: str
    ) -> tuple[QuerySet[SourceRecord], bool]:
        """Find records by the whole identifier, using the index of (repository, identifier), or by public id.

        Django's own search would scan the whole table.
        """
        term = search_term.strip()
        if not term:
            return queryset, False
        own = list(Repository.objects.for_user(request.user).values_list("pk", flat=True))
        named = SourceRecord.objects.filter(repository__in=own, identifier=term)
        pks = [*named.values_list("pk", flat=True)[:FOUND]]
        pks += SourceRecord.objects.filter(public_id=term).values_list("pk", flat=True)
        return queryset.filter(pk__in=pks), False

    def get_queryset(self, request: HttpRequest) -> QuerySet[SourceRecord]:
        return super().get_queryset(request).defer(*LARGE_COLUMNS)

    def get_ordering(self, request: HttpRequest) -> tuple[str | Combinable, ...]:
        """Order the records of one provider by identifier, for which there is an index, and all records by age.

        By age, the records of all other providers that came later would be read first.
        """
        return ("repository_id", "identifier") if request.GET.get(RepositoryFilter.parameter_name) else ("-pk",)

    def has_restore_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("harvesting.change_sourcerecord")

    @admin.action(
        description=_("Restore (within 90 days of the deletion)"),
        permissions=["restore"],
        location=[ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM],
    )
    def restore(self, request: HttpRequest, queryset: QuerySet[SourceRecord]) -> None:
        deleted = list(queryset.filter(deleted=True))
        restored = restore(queryset)
        for record in deleted:
            record.refresh_from_db()
            if not record.deleted:
                self.log_change(request, record, str(_("Restored.")))
        text = ngettext("%(count)s record restored.", "%(count)s records restored.", restored) % {"count": restored}
        self.message_user(request, text, messages.SUCCESS if restored else messages.WARNING)
        if restored < queryset.count():
            unrestored = _("Records that are not deleted, or were deleted more than 90 days ago, stay as they are.")
            self.message_user(request, unrestored, messages.INFO)

    @admin.display(description=_("version in use"))
    def accepted_version(self, record: SourceRecord) -> str:
        return shown(record.payload)

    @admin.display(description=_("version not registered"))
    def refused_version(self, record: SourceRecord) -> str:
        return shown(record.rejected_payload)


def shown(packed: Buffer) -> str:
    """Return the beginning of a stored payload as text."""
    text = unpack_payload(packed)[: 4 * SHOWN].decode("utf-8", "replace")
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


@admin.register(RecordIssue)
class RecordIssueAdmin(ReadOnlyAdmin):
    list_display = ["rule", "severity", "field", "result", "explanation", "source_record", "harvest"]
    list_display_links = ["severity"]  # the first column links to the page of the rule instead
    fields = ["rule", "severity", "field", "value", "result", "explanation", "source_record", "harvest"]
    list_filter = ["severity", RepositoryFilter]
    search_fields = ["code__exact"]
    search_help_text = _("The code of a rule, for example dcndl.E003.")
    list_select_related = ["source_record", "harvest__feed__repository"]

    def get_ordering(self, request: HttpRequest) -> tuple[str | Combinable, ...]:
        """Order the issues of one provider by rule, for which there is an index, and all issues by age."""
        return ("repository_id", "code", "pk") if request.GET.get(RepositoryFilter.parameter_name) else ("-pk",)

    @admin.display(description=_("rule"))
    def rule(self, issue: RecordIssue) -> str:
        return rule_link(issue)

    @admin.display(description=_("what it means"))
    def explanation(self, issue: RecordIssue) -> str:
        return explain(issue)
