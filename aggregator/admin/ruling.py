"""Staff's rulings: made and undone with a preview, never edited."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from aggregator.admin.base import EVERYWHERE, person, record_links
from aggregator.grouping.inspection.duplicates import listed_by_public_id
from aggregator.grouping.rulings.rows import ruling_from_row
from aggregator.models import MatchRuling
from aggregator.review.preview import Described, Effect, effect_of
from aggregator.review.ruling_form import RulingForm
from aggregator.review.rulings import carry_out, confirm, sentence, undo
from harvesting.admin import BoundedPaginator
from harvesting.audit.trail import note

PREVIEW = "admin/aggregator/matchruling/preview.html"


class RulingList(ChangeList):
    """The rulings of one page with the records that they are about, read in one query for all."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        records = listed_by_public_id({name for row in rows for name in ruling_from_row(row).names})
        for row in rows:
            row.about = [records[name] for name in ruling_from_row(row).names if name in records]
        self.result_list = rows


class StateFilter(admin.SimpleListFilter):
    """Filters rulings by whether they are in force."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("in_force", _("in force")), ("recheck", _("needs review")), ("undone", _("undone"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[MatchRuling]) -> QuerySet[MatchRuling]:
        if self.value() == "undone":
            return queryset.exclude(undone=None)
        if self.value():
            queryset = queryset.filter(undone=None)
        return queryset.exclude(recheck=None) if self.value() == "recheck" else queryset


@admin.register(MatchRuling)
class MatchRulingAdmin(admin.ModelAdmin[MatchRuling]):
    """Rulings are added and undone, never edited: the history stays readable."""

    form = RulingForm
    list_display = ["what", "records_ruled", "reason", "made", "standing"]
    list_filter = [StateFilter, "verdict"]
    ordering = ["-pk"]
    list_select_related = ["author"]
    paginator = BoundedPaginator
    show_full_result_count = False
    search_fields = ["first", "second", "records", "isbn"]
    actions = ["undo_rulings", "confirm_rulings"]

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_fields(self, request: HttpRequest, obj: MatchRuling | None = None) -> list[Any]:
        if obj is None:
            return [*RulingForm.field_order]
        return ["meaning", "reason", "author", "created", "by_pattern", "snapshot", "recheck", "undone", "undone_by"]

    def get_readonly_fields(self, request: HttpRequest, obj: MatchRuling | None = None) -> list[str]:
        return self.get_fields(request, obj) if obj else []

    def has_change_permission(self, request: HttpRequest, obj: MatchRuling | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: MatchRuling | None = None) -> bool:
        return False

    def has_rule_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("aggregator.change_matchruling")

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return RulingList

    @admin.display(description=gettext_lazy("Ruling"), ordering="pk")
    def what(self, row: MatchRuling) -> str:
        return " ".join(filter(None, (f"#{row.pk}", row.get_verdict_display(), row.isbn)))

    @admin.display(description=gettext_lazy("applies to"))
    def records_ruled(self, row: Any) -> str:
        return record_links(row.about) or row.first or _("all records")

    @admin.display(description=gettext_lazy("date of ruling"))
    def made(self, row: MatchRuling) -> str:
        return f"{date_format(localtime(row.created), 'SHORT_DATE_FORMAT')} {row.author or ''}"

    @admin.display(description=gettext_lazy("state"))
    def standing(self, row: MatchRuling) -> str:
        if row.undone:
            return _("undone on %(day)s") % {"day": date_format(localtime(row.undone), "SHORT_DATE_FORMAT")}
        return _("needs review") if row.recheck else _("in force")

    @admin.display(description=gettext_lazy("Ruling"))
    def meaning(self, row: MatchRuling) -> str:
        return f"#{row.pk} {sentence(ruling_from_row(row))}"

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form, then the preview, then make the ruling."""
        if request.method == "POST" and "_confirmed" not in request.POST and self.has_add_permission(request):
            fields = [(name, request.POST.get(name, "")) for name in RulingForm.field_order]
            if "_back" in request.POST:
                return HttpResponseRedirect(f"{request.path}?{urlencode(fields)}")
            form = self.get_form(request)(request.POST)
            if form.is_valid():
                row = form.save(commit=False)
                effect = effect_of(lambda: carry_out(row, None))
                return self._preview(request, effect, [sentence(ruling_from_row(row))], (fields, _("Make this ruling")))
        plain = {"show_save_and_add_another": False, "show_save_and_continue": False}  # the preview has a single button
        return super().add_view(request, form_url, {**(extra_context or {}), **plain})

    def save_model(self, request: HttpRequest, obj: MatchRuling, form: Any, change: bool) -> None:
        carry_out(obj, person(request))

    @admin.action(description=gettext_lazy("Undo"), permissions=["rule"], location=EVERYWHERE)
    def undo_rulings(self, request: HttpRequest, queryset: QuerySet[MatchRuling]) -> HttpResponse | None:
        rows = list(queryset.filter(undone=None))
        if not rows:
            messages.warning(request, _("These rulings have already been undone."))
            return None
        if "_back" in request.POST:
            return None
        if "_confirmed" not in request.POST:
            effect = effect_of(lambda: {pk for row in rows for pk in undo(row, None)})
            chosen = [("action", "undo_rulings"), *(("_selected_action", str(row.pk)) for row in rows)]
            return self._preview(request, effect, [sentence(ruling_from_row(row)) for row in rows], (chosen, _("Undo")))
        for row in rows:
            undo(row, person(request))
            self.log_change(request, row, _("Undone"))
        message = ngettext("%(count)d ruling was undone.", "%(count)d rulings were undone.", len(rows))
        messages.success(request, message % {"count": len(rows)})
        return None

    @admin.action(
        description=gettext_lazy("Confirm the ruling (changed records reviewed)"),
        permissions=["rule"],
        location=EVERYWHERE,
    )
    def confirm_rulings(self, request: HttpRequest, queryset: QuerySet[MatchRuling]) -> None:
        for row in queryset.filter(undone=None):
            confirm(row)
            self.log_change(request, row, _("Reviewed again"))
            note(person(request), "match.confirmed", row)

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
            "now": _groups(effect.removed),
            "afterwards": _groups(effect.created),
            "fields": fields,
            "confirm": label,
            "action": request.get_full_path(),
        }
        return TemplateResponse(request, PREVIEW, context)


def _groups(groups: tuple[tuple[Described, ...], ...]) -> str:
    return render_to_string("matches/groups.html", {"groups": groups})
