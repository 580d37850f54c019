"""The state of the search index, on a page for staff. There is one index, so there is no list."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from aggregator.indexing.state import index_state
from aggregator.indexing.wording import problems, status_rows
from aggregator.models import IndexLedger
from harvesting.admin import ReadOnly


@admin.register(IndexLedger)
class IndexLedgerAdmin(ReadOnly, admin.ModelAdmin[IndexLedger]):
    show_full_result_count = False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        state = index_state()
        context = {
            **self.admin_site.each_context(request),
            "title": _("Search index"),
            "opts": self.opts,
            "problems": list(problems(state)),
            "facts": list(status_rows(state)),
        }
        return TemplateResponse(request, "admin/aggregator/index_state.html", context)
