"""Groups of the merged catalogue (read only), and the duplicates within one provider's records."""

from itertools import islice
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.grouping.inspection.duplicates import duplicates, shared_isbns
from aggregator.models import Core, Manifestation
from harvesting.admin import BoundedPaginator, ReadOnly
from harvesting.models import Repository

SHOWN = 100  # duplicates and shared ISBNs on the page, of each kind


class CoreInline(admin.TabularInline[Core, Manifestation]):
    model = Core
    extra = 0
    can_delete = False
    fields = ("example", "records", "linked_to", "score", "evidence")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Manifestation)
class ManifestationAdmin(ReadOnly, admin.ModelAdmin[Manifestation]):
    list_display = ["__str__", "successor", "index_pending", "changed_at"]
    fields = ["id", "successor", "index_pending", "changed_at"]
    list_select_related = ["successor"]
    inlines = [CoreInline]
    search_fields = ["=id"]
    search_help_text = gettext_lazy("Book number")
    paginator = BoundedPaginator
    show_full_result_count = False

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.duplicates)
        return [path("duplicates/<str:number>/", view, name="aggregator_duplicates"), *super().get_urls()]

    def duplicates(self, request: HttpRequest, number: str) -> HttpResponse:
        """Duplicates and shared ISBNs among one provider's records; 404 for a repository that the user may not see."""
        repository = get_object_or_404(Repository.objects.for_user(request.user), number=number)
        found = list(islice(duplicates(repository), SHOWN + 1))
        shared = list(islice(shared_isbns(repository), SHOWN + 1))
        context = {
            **self.admin_site.each_context(request),
            "title": _("Duplicates and shared ISBNs"),
            "opts": self.opts,
            "repository": repository,
            "duplicates": found[:SHOWN],
            "shared": shared[:SHOWN],
            "shown": SHOWN,
            "more": len(found) > SHOWN or len(shared) > SHOWN,
        }
        return TemplateResponse(request, "admin/aggregator/duplicates.html", context)
