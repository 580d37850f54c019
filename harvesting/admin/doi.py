"""The DOI agreement of a provider in the admin, with the login of JaLC's interface, which is never shown."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.doi.deliveries import seal_login
from harvesting.models import DoiAgreement, Repository


class DoiAgreementForm(forms.ModelForm[DoiAgreement]):
    """Stores a login if both parts are entered; otherwise the stored one stays."""

    login = forms.CharField(label=gettext_lazy("user name at JaLC"), max_length=100, required=False)
    password = forms.CharField(
        label=gettext_lazy("password at JaLC"),
        max_length=200,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    forget_login = forms.BooleanField(label=gettext_lazy("Delete the stored login"), required=False)

    class Meta:
        model = DoiAgreement
        fields = ["jalc_prefixes", "crossref_prefixes", "site_id", "agreed_on", "hosts", "hand_over"]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if "login" in self.fields:
            stored = self.instance.pk and self.instance.credentials
            self.fields["login"].help_text = _("A login is stored.") if stored else _("No login is stored.")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if bool(data.get("login")) != bool(data.get("password")):
            self.add_error("password", _("Enter both the user name and the password."))
        return data

    def save(self, commit: bool = True) -> DoiAgreement:
        if self.cleaned_data.get("forget_login"):
            self.instance.credentials = b""
        elif self.cleaned_data.get("login"):
            self.instance.credentials = seal_login(self.cleaned_data["login"], self.cleaned_data["password"])
        return super().save(commit)


class DoiAgreementInline(admin.StackedInline[DoiAgreement, Repository]):
    model = DoiAgreement
    form = DoiAgreementForm
    fields = (
        ("jalc_prefixes", "crossref_prefixes"),
        ("site_id", "agreed_on"),
        "hosts",
        "hand_over",
        ("login", "password", "forget_login"),
    )
