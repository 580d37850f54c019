"""Shared classes of the admin pages: users see the rows of their own repositories, and harvested data is read-only."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from harvesting.accounts.access import MOST_LISTED, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.models import RecordIssue, Repository
from metadata.catalogue import RULES, sentence
from metadata.issue import Severity

MOST_COUNTED = 5_000  # rows of a list that are counted, and so can be paged through


class BoundedPaginator(Paginator[Any]):
    """Counts MOST_COUNTED rows at most, so that no page counts millions. Filters give access to later rows."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list  # a queryset, in the admin
        return len(rows.order_by().values_list("pk")[:MOST_COUNTED])


class AuditedAdmin:
    """Mixin for ModelAdmin: writes every entry of Django's own history to the audit trail, too."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return self._record(request, "admin.added", obj, super().log_addition(request, obj, message))  # type: ignore[misc]

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return self._record(request, "admin.changed", obj, super().log_change(request, obj, message))  # type: ignore[misc]

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for row in queryset:
            note(request.user, "admin.deleted", row, details={"table": row._meta.label})
        return super().log_deletions(request, queryset)  # type: ignore[misc]

    def _record(self, request: HttpRequest, action: str, row: Any, entry: Any) -> Any:
        change = entry.change_message if entry is not None else ""
        note(request.user, action, row, details={"table": row._meta.label, "change": change})
        return entry


class RepositoryFilter(admin.SimpleListFilter):
    """Filter by the user's own repositories: from a list, or if there are many, by a number that is typed.

    Django's own filter would scan all rows to list them.
    """

    title = gettext_lazy("repository")
    parameter_name = "repository"
    template = "admin/harvesting/repository_filter.html"
    path = "repository"  # lookup from a row to its repository
    is_typed = False
    others: Sequence[tuple[str, str]] = ()  # the other parameters of the address

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        own = Repository.objects.for_user(request.user).order_by("number")[: MOST_LISTED + 1]
        found = [(repository.number, str(repository)) for repository in own]
        self.is_typed = len(found) > MOST_LISTED
        chosen = request.GET.get(self.parameter_name, "")
        others = [(name, str(value)) for name, value in request.GET.items()]
        self.others = [pair for pair in others if pair[0] not in (self.parameter_name, "p")]
        return [(chosen, chosen)] if self.is_typed else found

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        # By its key, without a join: databases then know better how many rows it has.
        key = Repository.objects.filter(number=self.value()).values_list("pk", flat=True).first()
        return queryset.filter(**{self.path: key}) if key else queryset.none()


class FeedRepositoryFilter(RepositoryFilter):
    """The same filter for rows that belong to a feed."""

    path = "feed__repository"


class OwnRepositoriesAdmin(AuditedAdmin, admin.ModelAdmin[Any]):
    """Shows only rows of the user's own repositories. `repository_path`: the lookup from a row to its repository."""

    repository_path = "repository"
    paginator = BoundedPaginator
    list_per_page = 50
    show_full_result_count = False  # would count all rows of the table

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if role_of(request.user) >= Role.STAFF:  # staff see all rows; a condition would mislead the query planner
            return rows
        return rows.filter(**{f"{self.repository_path}__in": Repository.objects.for_user(request.user)})


class ReadOnly:
    """Mixin for ModelAdmin and inlines: rows written by the program can be viewed, not edited."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, OwnRepositoriesAdmin):
    """A read-only list of what was harvested from the user's own repositories.

    It has one order: there are millions of rows, and sorting them by another column would take minutes.
    """

    sortable_by = ()


class ReadOnlyInline(ReadOnly, admin.TabularInline[Any, Any]):
    """A read-only table of the rows that belong to the object shown."""

    extra = 0
    can_delete = False


def explain(issue: RecordIssue) -> str:
    """Return the issue as a sentence in the language of the page."""
    return sentence(issue.issue, translation.get_language() or "", Severity(issue.severity))


def rule_link(issue: RecordIssue) -> str:
    """Return the rule code as a link to the page that explains the rule; codes of removed rules have no page."""
    if issue.code not in RULES:
        return issue.code
    return format_html('<a href="{}">{}</a>', reverse("rule", args=[issue.code]), issue.code)
