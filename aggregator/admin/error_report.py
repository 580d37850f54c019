"""Readers' reports of errors in records."""

from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.admin.base import EVERYWHERE, person
from aggregator.models import ErrorReport
from harvesting.admin import AuditedAdmin, BoundedPaginator, ReadOnly


@admin.register(ErrorReport)
class ErrorReportAdmin(AuditedAdmin, ReadOnly, admin.ModelAdmin[ErrorReport]):
    """Reports are read beside the record and marked as handled, never edited."""

    list_display = ["created", "kind", "record", "excerpt", "email", "handled"]
    list_filter = ["kind", ("handled", admin.EmptyFieldListFilter)]
    search_fields = ["public_id", "other", "title", "text"]
    list_select_related = ["handled_by"]
    actions = ["mark_handled"]
    list_per_page = 50
    paginator = BoundedPaginator
    show_full_result_count = False

    def has_tick_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("aggregator.change_errorreport")

    @admin.display(description=gettext_lazy("record"))
    def record(self, row: ErrorReport) -> SafeString:
        book = format_html('<a href="{}">{}</a>', reverse("book", args=[row.public_id]), row.title or row.public_id)
        if not row.other:
            return book
        pair = urlencode({"first": row.public_id, "second": row.other})
        return format_html(
            '{} – <a href="{}?{}">{}</a>', book, reverse("match_pair"), pair, _("compare with the other")
        )

    @admin.display(description=gettext_lazy("what is wrong"))
    def excerpt(self, row: ErrorReport) -> str:
        return Truncator(row.text).chars(120)

    @admin.action(description=gettext_lazy("Mark as handled"), permissions=["tick"], location=EVERYWHERE)
    def mark_handled(self, request: HttpRequest, queryset: QuerySet[ErrorReport]) -> None:
        for row in queryset.filter(handled=None):
            row.handled, row.handled_by, row.sender = timezone.now(), person(request), ""
            row.save(update_fields=["handled", "handled_by", "sender"])
            self.log_change(request, row, _("Handled"))
