"""The merged catalogue in Django's admin: to look at; review pages come under /manage/."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from aggregator.models import Manifestation, MatchDecision, Member
from harvesting.admin import ReadOnly
from harvesting.models import SourceRecord

admin.site.site_header = admin.site.site_title = _("Library Aggregator")
admin.site.index_title = _("Administration")


class MemberInline(admin.TabularInline):
    model = Member
    extra = 0
    can_delete = False
    fields = ("source_record", "linked_to", "score", "evidence")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Manifestation)
class ManifestationAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["__str__", "successor", "index_pending", "changed_at"]
    fields = ["id", "successor", "index_pending", "changed_at"]
    list_select_related = ["successor"]
    inlines = [MemberInline]
    show_full_result_count = False


@admin.register(MatchDecision)
class MatchDecisionAdmin(admin.ModelAdmin):
    list_display = ["first", "second", "verdict", "reason", "author", "created", "undone"]
    list_filter = ["verdict"]
    readonly_fields = ["author", "created"]

    def save_model(self, request: HttpRequest, obj: MatchDecision, form: Any, change: bool) -> None:
        if not change and request.user.is_authenticated:
            obj.author = request.user
        super().save_model(request, obj, form, change)
        # Both wait for aggregation again, which then follows the ruling.
        SourceRecord.objects.filter(public_id__in=[obj.first, obj.second]).update(aggregated_at=None)
