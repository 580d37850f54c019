"""What the admin pages of harvesting share: whose rows are shown, and that what was harvested is not edited."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.html import format_html

from harvesting.models import RecordIssue, Repository
from metadata.issue import Severity
from metadata.validation.catalogue import RULES, sentence


class OwnRepositoriesAdmin(admin.ModelAdmin):
    """Rows of the user's own repositories only; `repository_path` leads from the row to its repository."""

    repository_path = "repository"
    show_full_result_count = False  # no count over a million rows

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        own = Repository.objects.for_user(request.user)
        return super().get_queryset(request).filter(**{f"{self.repository_path}__in": own})


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


class ReadOnlyInline(ReadOnly, admin.TabularInline):
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
