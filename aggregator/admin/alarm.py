"""Alarms: what the matcher could not treat as usual; and the rematches of the whole catalogue."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from aggregator.admin.base import record_links
from aggregator.grouping.inspection.alarms import example_records
from aggregator.models import MatchAlarm, Rematch
from harvesting.admin import BoundedPaginator, ReadOnly
from metadata.identifiers import hyphenate


@admin.register(Rematch)
class RematchAdmin(ReadOnly, admin.ModelAdmin[Rematch]):
    list_display = ["__str__", "state", "records", "started_at", "finished_at"]


class AlarmList(ChangeList):
    """The alarms of one page with some of their records, read in one query for all."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        alarms = list(self.result_list)
        examples = example_records(alarms)
        for alarm in alarms:
            alarm.examples = examples[alarm.pk]
        self.result_list = alarms


ISBN_ALARMS = (MatchAlarm.Kind.SUSPECT_ISBN, MatchAlarm.Kind.CROWDED_ISBN, MatchAlarm.Kind.MISTAKEN_ISBN)


@admin.register(MatchAlarm)
class MatchAlarmAdmin(ReadOnly, admin.ModelAdmin[MatchAlarm]):
    list_display = ["what", "kind", "records", "examples", "since"]
    list_display_links = None
    list_filter = ["kind"]
    ordering = ["-records", "pk"]
    search_fields = ["=number"]
    search_help_text = gettext_lazy("ISBN without hyphens")
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 25

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return AlarmList

    @admin.display(description=gettext_lazy("ISBN"))
    def what(self, alarm: MatchAlarm) -> str:
        if alarm.kind not in ISBN_ALARMS:
            return "–"
        return format_html('<a href="{}?isbn={}">{}</a>', reverse("search"), alarm.number, hyphenate(str(alarm.number)))

    @admin.display(description=gettext_lazy("example records"))
    def examples(self, alarm: Any) -> str:
        return record_links(alarm.examples)
