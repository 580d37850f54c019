"""Forms about notifications: a new address, and when and how often it receives them."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.languages import choices
from harvesting.accounts.access import repositories_of
from harvesting.models import Recipient
from harvesting.validators import validate_web_address

MOST = 20  # addresses per person


class NotificationForm(forms.ModelForm[Recipient]):
    """When, how often and in which language an existing address receives notifications."""

    class Meta:
        model = Recipient
        fields = ["when", "how", "language"]
        labels = {"when": gettext_lazy("When"), "how": gettext_lazy("How often"), "language": gettext_lazy("Language")}

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["language"] = forms.ChoiceField(label=gettext_lazy("Language"), choices=choices())
        if self.instance.channel == Recipient.Channel.WEBHOOK:
            del self.fields["how"]


class AddressForm(NotificationForm):
    """A new address of the user."""

    class Meta(NotificationForm.Meta):
        fields = ["repository", "channel", "address", "when", "how", "language"]
        labels = {
            **NotificationForm.Meta.labels,
            "repository": gettext_lazy("About"),
            "channel": gettext_lazy("Send by"),
            "address": gettext_lazy("E-mail address or webhook URL"),
        }

    def __init__(self, person: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.instance.person = person
        repository = self.fields["repository"]
        if isinstance(repository, forms.ModelChoiceField):
            repository.queryset = repositories_of(person).order_by("number")
            repository.empty_label = _("all my providers")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        address, person = values.get("address", ""), self.instance.person
        check = validate_web_address if values.get("channel") == Recipient.Channel.WEBHOOK else validate_email
        try:
            check(address)
        except ValidationError as error:
            self.add_error("address", error)
        own = Recipient.objects.filter(person=person)
        if own.filter(repository=values.get("repository"), channel=values.get("channel"), address=address).exists():
            raise ValidationError(_("This address is in the list already."))
        if own.count() >= MOST:
            raise ValidationError(_("There are %(count)d addresses already. Remove one first.") % {"count": MOST})
        return values
