"""What the admin pages of harvesting share: whose rows are shown, and that what was harvested is not edited."""

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

from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.models import RecordIssue, Repository
from metadata.catalogue import RULES, sentence
from metadata.issue import Severity

MOST_COUNTED = 5_000  # rows of a list that are counted and can be paged through


class BoundedPaginator(Paginator[Any]):
    """Counts no further than MOST_COUNTED: whoever has more narrows the list. A million rows are never counted."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list  # a queryset, in the admin
        return len(rows.order_by().values_list("pk")[:MOST_COUNTED])


class AuditedAdmin:
    """For ModelAdmin: what Django notes in its own history stands in the trace as well."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return self._noted(request, "admin.added", obj, super().log_addition(request, obj, message))  # type: ignore[misc]

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return self._noted(request, "admin.changed", obj, super().log_change(request, obj, message))  # type: ignore[misc]

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for each in queryset:
            note(request.user, "admin.deleted", each, details={"table": str(each._meta.verbose_name)})
        return super().log_deletions(request, queryset)  # type: ignore[misc]

    def _noted(self, request: HttpRequest, action: str, row: Any, entry: Any) -> Any:
        told = entry.get_change_message() if entry is not None else ""
        note(request.user, action, row, details={"table": str(row._meta.verbose_name), "change": told})
        return entry


class RepositoryFilter(admin.SimpleListFilter):
    """The person's own repositories, which are few; Django's own filter would look through all the rows for them."""

    title = gettext_lazy("repository")
    parameter_name = "repository"
    path = "repository"  # from the row to its repository

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(each.number, str(each)) for each in Repository.objects.for_user(request.user).order_by("number")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{f"{self.path}__number": self.value()}) if self.value() else queryset


class FeedRepositoryFilter(RepositoryFilter):
    """The same for rows of a feed."""

    path = "feed__repository"


class OwnRepositoriesAdmin(AuditedAdmin, admin.ModelAdmin[Any]):
    """Rows of the user's own repositories only; `repository_path` leads from the row to its repository."""

    repository_path = "repository"
    paginator = BoundedPaginator
    list_per_page = 50
    show_full_result_count = False  # no count over a million rows

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if role_of(request.user) >= Role.STAFF:  # all of them; a condition would only mislead the database
            return rows
        return rows.filter(**{f"{self.repository_path}__in": Repository.objects.for_user(request.user)})


class ReadOnly:
    """For ModelAdmin: what the program wrote is looked at, never edited by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, OwnRepositoriesAdmin):
    """What was harvested from the user's own repositories, to look at."""


class ReadOnlyInline(ReadOnly, admin.TabularInline[Any, Any]):
    """Rows of another table that belong to the row shown, to look at."""

    extra = 0
    can_delete = False


def explain(issue: RecordIssue) -> str:
    """The issue as a sentence in the language of the page."""
    language = "en" if translation.get_language() == "en" else "ja"
    return sentence(issue.issue, language, Severity(issue.severity))


def rule_link(issue: RecordIssue) -> str:
    """The code, leading to the page that explains its rule; one of an earlier version has none."""
    if issue.code not in RULES:
        return issue.code
    return format_html('<a href="{}">{}</a>', reverse("rule", args=[issue.code]), issue.code)
