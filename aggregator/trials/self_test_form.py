"""The form of a self-test: an address, or records that are pasted or uploaded. It never opens files of the server."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.models import Repository, protocol_choices
from harvesting.registry.protocol_texts import places_help
from harvesting.trials.self_test import LARGEST
from harvesting.validators import validate_web_address
from metadata.formats import READABLE

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FOUND_OUT = gettext_lazy("detected automatically")


def _protocols() -> "list[tuple[str, StrOrPromise]]":
    return [("", FOUND_OUT), *protocol_choices()]


class ValidateForm(forms.Form):
    """Takes exactly one of an address, a text and a file."""

    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=500,
        validators=[validate_web_address],
        widget=forms.TextInput(
            attrs={
                "inputmode": "url",
                "autocapitalize": "off",
                "spellcheck": "false",
                "placeholder": "https://library.example.jp/oai",
            }
        ),
    )
    protocol = forms.ChoiceField(label=gettext_lazy("Protocol"), required=False, choices=_protocols)
    text = forms.CharField(
        label=gettext_lazy("Records"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocapitalize": "off", "class": "code"}),
        help_text=gettext_lazy(
            "One or more records as XML, JSON or a table with headings. Part of an OAI-PMH response also works."
        ),
    )
    upload = forms.FileField(label=gettext_lazy("or a file"), required=False, allow_empty_file=True)
    format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        required=False,
        choices=[("", FOUND_OUT), *((name, name) for name in READABLE)],
    )
    profile = forms.ChoiceField(
        label=gettext_lazy("Strictness"),
        required=False,
        choices=[("", gettext_lazy("default for the format")), *Repository.Profile.choices],
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.fields["base_url"].help_text = places_help()

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        if len(text.encode(errors="surrogatepass")) > LARGEST:
            raise ValidationError(_("At most %(size)s.") % {"size": filesizeformat(LARGEST)})
        return text

    def clean_upload(self) -> Any:
        upload = self.cleaned_data["upload"]
        if upload and upload.size > LARGEST:
            raise ValidationError(_("At most %(size)s.") % {"size": filesizeformat(LARGEST)})
        return upload

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        given = [name for name in ("base_url", "text", "upload") if data.get(name)]
        if len(given) > 1:
            raise ValidationError(_("Give only one of these: an address, records, or a file."))
        if not given and not self.errors:
            raise ValidationError(_("Give an address, paste records, or choose a file."))
        return data

    @property
    def payload(self) -> bytes:
        """The records that were pasted or uploaded, b"" for an address. The form must be valid."""
        upload = self.cleaned_data["upload"]
        payload: bytes = upload.read() if upload else self.cleaned_data["text"].encode(errors="replace")
        return payload

    @property
    def options(self) -> dict[str, Any]:
        """The options of the self-test, as in SelfTest.options."""
        names = ("format", "profile") if self.payload_given else ("base_url", "protocol", "format", "profile")
        given = {name: self.cleaned_data[name] for name in names if self.cleaned_data[name]}
        return {("prefix" if name == "format" else name): value for name, value in given.items()}

    @property
    def payload_given(self) -> bool:
        return bool(self.cleaned_data["text"] or self.cleaned_data["upload"])
