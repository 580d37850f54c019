"""Repositories in the admin: registration with feeds, managers and switched rules."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import ActionLocation
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.admin.base import AuditedAdmin
from harvesting.admin.doi import DoiAgreementInline
from harvesting.admin.feed import FeedInline, add_replaced_addresses, queue_harvests, show_consequences
from harvesting.admin.switch import SwitchForm, SwitchInline
from harvesting.models import Feed, Repository
from harvesting.monitoring.wording import shown_state
from harvesting.registry.feed_form import FeedForm
from harvesting.registry.policies import usual_profile
from harvesting.registry.registration import RegistrationError, check_number, claim_number

EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]


class RepositoryForm(forms.ModelForm[Repository]):
    """Reports an invalid or already used number as an ordinary form error.

    A new repository without a profile gets the usual one for the format of its first feed.
    """

    profile = forms.ChoiceField(
        label=Repository._meta.get_field("profile").verbose_name,
        choices=Repository.Profile,
    )

    class Meta:
        model = Repository
        fields = [
            "number",
            "name",
            "name_yomi",
            "name_en",
            "kind",
            "state",
            "state_reason",
            "contact_email",
            "home_page",
            "link_template",
            "link_encoding",
            "licence",
            "give_on",
            "show_pictures",
            "profile",
            "trust",
            "managers",
        ]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        profile = self.fields.get("profile")
        if not isinstance(profile, forms.ChoiceField):  # the page is read-only for this user
            return
        profile.help_text = _(
            "Decides how severe an issue is. Changes here and to the switched rules apply from the "
            "next harvest; to apply them to stored records, run: manage.py reread %(number)s"
        ) % {"number": self.instance.number or "R…"}
        if self.instance.pk is None:
            profile.required = False
            profile.choices = [("", _("default for the format")), *Repository.Profile.choices]
            self.initial["profile"] = ""

    def clean_number(self) -> str:
        number: str = self.cleaned_data["number"]
        if self.instance.pk is None and number:
            try:
                check_number(number)
            except RegistrationError as error:
                raise forms.ValidationError(str(error)) from error
        return number


@admin.register(Repository)
class RepositoryAdmin(AuditedAdmin, admin.ModelAdmin[Repository]):
    form = RepositoryForm
    inlines = [FeedInline, SwitchInline, DoiAgreementInline]
    list_display = ["number", "name", "kind", "state", "profile", "last_harvest"]
    list_filter = ["state", "kind", "profile"]
    search_fields = ["number", "name", "name_yomi", "name_en"]
    filter_horizontal = ["managers"]
    actions = ["harvest_now", "harvest_everything"]

    class Media:
        css = {"all": ["css/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Repository]:
        return Repository.objects.for_user(request.user).select_related("health__last_run")

    def get_readonly_fields(self, request: HttpRequest, obj: Repository | None = None) -> list[str]:
        fixed = ["number"] if obj else []
        if not request.user.has_perm("harvesting.change_ruleswitch"):
            fixed += ["profile", "trust"]  # staff decide how strictly a provider is checked
        return fixed if request.user.is_superuser else [*fixed, "managers", "state"]

    def save_model(self, request: HttpRequest, obj: Repository, form: Any, change: bool) -> None:
        if not change:
            obj.number = claim_number(obj.number)
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        for subform in formset.forms:
            if isinstance(subform, SwitchForm) and subform.has_changed():
                subform.record_decision(request.user)
        super().save_formset(request, form, formset, change)
        for subform in formset.forms:
            if isinstance(subform, FeedForm) and subform.has_changed() and subform.instance.pk:
                show_consequences(request, subform)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if not form.cleaned_data.get("profile", form.instance.profile):  # left empty; the feeds exist only now
            first = form.instance.feeds.order_by("pk").first()
            form.instance.profile = usual_profile(first.metadata_prefix if first else "")
            form.instance.save(update_fields=["profile"])

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        message = super().construct_change_message(request, form, formsets, add)
        feeds = [subform for formset in formsets or [] for subform in formset.forms if isinstance(subform, FeedForm)]
        return message if add else add_replaced_addresses(message, feeds)

    def has_delete_permission(self, request: HttpRequest, obj: Repository | None = None) -> bool:
        return False  # repositories are stopped with a reason instead; their number and history stay

    @admin.display(description=gettext_lazy("last harvest"))
    def last_harvest(self, repository: Repository) -> str:
        """The last harvest that the health of the provider was judged by; a list of thousands asks for no others."""
        last = repository.health.last_run if hasattr(repository, "health") else None
        return f"#{last.pk} {shown_state(last)}" if last else "–"

    @admin.action(description=gettext_lazy("Harvest now (incremental)"), location=EVERYWHERE)
    def harvest_now(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        queue_harvests(request, Feed.objects.filter(repository__in=queryset), full=False)

    @admin.action(description=gettext_lazy("Harvest everything again"), location=EVERYWHERE)
    def harvest_everything(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        queue_harvests(request, Feed.objects.filter(repository__in=queryset), full=True)
