"""The merged catalogue in Django's admin: groups and alarms to look at, rulings of staff with a preview."""

from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.options import ActionLocation
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from aggregator.decisions import carry_out, confirm, sentence, undo
from aggregator.duplicates import duplicates, shared_isbns
from aggregator.models import BookReport, Manifestation, MatchAlarm, MatchDecision, MatchKey, Member, Rematch, WorkKey
from aggregator.preview import Effect, effect_of
from aggregator.ruling_form import RulingForm
from aggregator.ruling_rows import ruling
from harvesting.admin import ReadOnly
from harvesting.compression import unpack_record
from harvesting.models import Repository, SourceRecord

admin.site.site_header = admin.site.site_title = gettext_lazy("Library Aggregator")
admin.site.index_title = gettext_lazy("Administration")
PREVIEW = "admin/aggregator/matchdecision/preview.html"
EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]
EXAMPLES = 3  # records that an alarm names
SHOWN = 100  # findings of a kind on the page of duplicates


def _person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


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

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.duplicates)
        return [path("duplicates/<str:number>/", view, name="aggregator_duplicates"), *super().get_urls()]

    def duplicates(self, request: HttpRequest, number: str) -> HttpResponse:
        """What the provider's own records tell against each other; 404 for a repository of others."""
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


@admin.register(BookReport)
class BookReportAdmin(ReadOnly, admin.ModelAdmin):
    """What readers sent: to be read beside the record, and ticked off."""

    list_display = ["created", "kind", "record", "excerpt", "email", "handled"]
    list_filter = ["kind", ("handled", admin.EmptyFieldListFilter)]
    search_fields = ["public_id", "title", "text"]
    list_select_related = ["handled_by"]
    actions = ["mark_handled"]
    list_per_page = 50

    def has_tick_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("aggregator.change_bookreport")

    @admin.display(description=gettext_lazy("record"))
    def record(self, row: BookReport) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("book", args=[row.public_id]), row.title or row.public_id)

    @admin.display(description=gettext_lazy("what is wrong"))
    def excerpt(self, row: BookReport) -> str:
        return Truncator(row.text).chars(120)

    @admin.action(description=gettext_lazy("Is dealt with"), permissions=["tick"], location=EVERYWHERE)
    def mark_handled(self, request: HttpRequest, queryset: QuerySet[BookReport]) -> None:
        for row in queryset.filter(handled=None):
            row.handled, row.handled_by = timezone.now(), _person(request)
            row.save(update_fields=["handled", "handled_by"])
            self.log_change(request, row, _("Dealt with"))


@admin.register(Rematch)
class RematchAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["__str__", "state", "records", "started_at", "finished_at"]


@admin.register(MatchAlarm)
class MatchAlarmAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["what", "records", "kind", "examples", "since"]
    list_filter = ["kind"]
    ordering = ["-records"]
    show_full_result_count = False
    list_per_page = 50

    @admin.display(description=gettext_lazy("what"))
    def what(self, alarm: MatchAlarm) -> str:
        isbns = (MatchAlarm.Kind.SUSPECT_ISBN, MatchAlarm.Kind.CROWDED_ISBN)
        return f"ISBN {alarm.number}" if alarm.kind in isbns else f"#{alarm.number}"

    @admin.display(description=gettext_lazy("some of the records"))
    def examples(self, alarm: MatchAlarm) -> str:
        packed = SourceRecord.objects.filter(pk__in=self._records(alarm)).only("public_id", "record")
        return "; ".join(f"{unpack_record(bytes(each.record)).title} ({each.public_id})" for each in packed)

    def _records(self, alarm: MatchAlarm) -> list[int]:
        if alarm.kind == MatchAlarm.Kind.LARGE_COMPONENT:
            return [alarm.number]
        if alarm.kind == MatchAlarm.Kind.CROWDED_WORK:  # a manifestation has the number of its oldest record
            return [each.manifestation_id for each in WorkKey.objects.filter(key=alarm.number)[:EXAMPLES]]
        return [each.source_record_id for each in MatchKey.objects.filter(key=alarm.number)[:EXAMPLES]]


@admin.register(MatchDecision)
class MatchDecisionAdmin(admin.ModelAdmin):
    """Rulings are added and undone, never edited: what was once in force stays to be read."""

    form = RulingForm
    list_display = ["__str__", "reason", "author", "created", "recheck", "undone"]
    list_filter = ["verdict", ("undone", admin.EmptyFieldListFilter), ("recheck", admin.EmptyFieldListFilter)]
    list_select_related = ["author"]
    search_fields = ["first", "second", "records", "isbn"]
    actions = ["undo_rulings", "confirm_rulings"]

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_fields(self, request: HttpRequest, obj: MatchDecision | None = None) -> list[Any]:
        if obj is None:
            return [*RulingForm.field_order]
        return ["meaning", "reason", "author", "created", "snapshot", "recheck", "undone", "undone_by"]

    def get_readonly_fields(self, request: HttpRequest, obj: MatchDecision | None = None) -> list[str]:
        return self.get_fields(request, obj) if obj else []

    def has_change_permission(self, request: HttpRequest, obj: MatchDecision | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: MatchDecision | None = None) -> bool:
        return False

    def has_rule_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("aggregator.change_matchdecision")

    @admin.display(description=gettext_lazy("What is ruled"))
    def meaning(self, row: MatchDecision) -> str:
        return sentence(ruling(row))

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form; then what it would do; then it is done."""
        if request.method == "POST" and "_confirmed" not in request.POST and self.has_add_permission(request):
            fields = [(name, request.POST.get(name, "")) for name in RulingForm.field_order]
            if "_back" in request.POST:
                return HttpResponseRedirect(f"{request.path}?{urlencode(fields)}")
            form = self.get_form(request)(request.POST)
            if form.is_valid():
                row = form.save(commit=False)
                effect = effect_of(lambda: carry_out(row, None))
                return self._preview(request, effect, [sentence(ruling(row))], (fields, _("Make this ruling")))
        plain = {"show_save_and_add_another": False, "show_save_and_continue": False}  # the preview has one answer
        return super().add_view(request, form_url, {**(extra_context or {}), **plain})

    def save_model(self, request: HttpRequest, obj: MatchDecision, form: Any, change: bool) -> None:
        carry_out(obj, _person(request))

    @admin.action(description=gettext_lazy("Undo"), permissions=["rule"], location=EVERYWHERE)
    def undo_rulings(self, request: HttpRequest, queryset: QuerySet[MatchDecision]) -> HttpResponse | None:
        rows = list(queryset.filter(undone=None))
        if not rows:
            messages.warning(request, _("These rulings are undone already."))
            return None
        if "_back" in request.POST:
            return None
        if "_confirmed" not in request.POST:
            effect = effect_of(lambda: {pk for row in rows for pk in undo(row, None)})
            chosen = [("action", "undo_rulings"), *(("_selected_action", str(row.pk)) for row in rows)]
            return self._preview(request, effect, [sentence(ruling(row)) for row in rows], (chosen, _("Undo")))
        for row in rows:
            undo(row, _person(request))
            self.log_change(request, row, _("Undone"))
        told = ngettext("%(count)d ruling is undone.", "%(count)d rulings are undone.", len(rows))
        messages.success(request, told % {"count": len(rows)})
        return None

    @admin.action(
        description=gettext_lazy("Hold to it (the records changed, I looked again)"),
        permissions=["rule"],
        location=EVERYWHERE,
    )
    def confirm_rulings(self, request: HttpRequest, queryset: QuerySet[MatchDecision]) -> None:
        for row in queryset.filter(undone=None):
            confirm(row)
            self.log_change(request, row, _("Looked at again"))

    def _preview(
        self, request: HttpRequest, effect: Effect, sentences: list[str], answer: tuple[list[tuple[str, str]], str]
    ) -> HttpResponse:
        fields, label = answer
        context = {
            **self.admin_site.each_context(request),
            "title": _("What this would do"),
            "opts": self.opts,
            "media": self.media,
            "sentence": "; ".join(sentences),
            "effect": effect,
            "fields": fields,
            "confirm": label,
            "action": request.get_full_path(),
        }
        return TemplateResponse(request, PREVIEW, context)
