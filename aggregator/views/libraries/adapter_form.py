"""The form with the settings by which a library is asked for availability. It can stand on any page about a library."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.availability.adapters import FIELDS, WORDS
from aggregator.models import AvailabilityAdapter, Library
from aggregator.presentation.availability import WORDS as STATE_WORDS

_PATH = re.compile(r"[^.\s]{1,60}(?:\.[^.\s]{1,60}){0,11}")
LABELS = {
    "items": gettext_lazy("Path to the list of copies"),
    "status": gettext_lazy("Path to the status"),
    "due": gettext_lazy("Path to the date due"),
    "count": gettext_lazy("Path to the number of copies that can be borrowed"),
    "queue": gettext_lazy("Path to the number of reservations"),
    "place": gettext_lazy("Path to the call number or location"),
    "href": gettext_lazy("Path to the address of the library’s page"),
}
_HELP = {
    "items": gettext_lazy(
        "Names of keys with dots between them, for example result.copies. If empty, the answer is about one copy. All "
        "other paths begin at a copy."
    ),
    "available": gettext_lazy(
        "The words of the library’s system for each state, separated by commas. Common words such as 貸出中 and "
        "on loan are known."
    ),
}


class AdapterForm(forms.ModelForm[AvailabilityAdapter]):
    """The interface of one library: its kind, its address, and for JSON the declared fields."""

    class Meta:
        model = AvailabilityAdapter
        fields = ("kind", "address")
        help_texts = {
            "address": gettext_lazy(
                "As a link template: {isbn}, {identifier} (the number in the library’s own record) and so on stand for "
                "the values of a book, for example https://opac.example.jp/daia?id={identifier}&format=json"
            )
        }

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["kind"].choices = [("", _("do not ask this library")), *AvailabilityAdapter.Kind.choices]  # type: ignore[attr-defined]
        for name in FIELDS:
            label = LABELS.get(name) or _("Words for “%(state)s”") % {"state": STATE_WORDS[name]}  # type: ignore[index]
            self.fields[name] = forms.CharField(
                label=label,
                required=False,
                max_length=200,
                help_text=_HELP.get(name, ""),
                initial=self.instance.declared.get(name, ""),
            )

    @property
    def json_fields(self) -> list[forms.BoundField]:
        """The fields that only an interface in JSON needs."""
        return [self[name] for name in FIELDS]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("kind") and not data.get("address") and "address" not in self.errors:
            self.add_error("address", _("Enter the address at which the library is asked."))
        for name in FIELDS:
            if name not in WORDS and data.get(name) and not _PATH.fullmatch(data[name]):
                self.add_error(name, _("Separate the names by dots, for example result.copies."))
        if data.get("kind") == AvailabilityAdapter.Kind.JSON and not data.get("status") and not data.get("count"):
            self.add_error(
                "status", _("Enter the path to the status, or to the number of copies that can be borrowed.")
            )
        return data

    def draft(self) -> AvailabilityAdapter:
        """Return the settings as the form has them, without storing them."""
        row = self.instance
        row.declared = {name: text for name in FIELDS if (text := self.cleaned_data.get(name, ""))}
        return row

    def save(self, commit: bool = True) -> AvailabilityAdapter:
        """Store the settings. Changed settings are tried anew: earlier failures do not count."""
        row = self.draft()
        if self.has_changed():
            row.failures, row.paused_until = 0, None
        return super().save(commit)


def adapter_form(library: Library, data: Any = None) -> AdapterForm:
    """Return the form of a library, which need not have an adapter so far."""
    row = AvailabilityAdapter.objects.filter(library=library).first() or AvailabilityAdapter(library=library)
    return AdapterForm(data, instance=row, label_suffix="")
