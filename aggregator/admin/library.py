"""Libraries, read only: their codes, and the names that records give them. They are edited on pages of their own."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from aggregator.models import Library, LibraryCode, LibraryName
from harvesting.admin import BoundedPaginator, ReadOnly


class _Rows[Row: Model](admin.TabularInline[Row, Library]):
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CodeInline(_Rows[LibraryCode]):
    model = LibraryCode
    fk_name = "library"
    fields = ("scheme", "value", "own")
    readonly_fields = fields


class NameInline(_Rows[LibraryName]):
    model = LibraryName
    fields = ("name", "repository")
    readonly_fields = fields


@admin.register(Library)
class LibraryAdmin(ReadOnly, admin.ModelAdmin[Library]):
    list_display = ["name", "kind", "prefecture", "holdings", "merged_into"]
    list_filter = ["kind", "prefecture"]
    list_select_related = ["merged_into"]
    inlines = [CodeInline, NameInline]
    search_fields = ["name", "codes__value"]
    search_help_text = gettext_lazy("Name or code of a library")
    paginator = BoundedPaginator
    show_full_result_count = False
