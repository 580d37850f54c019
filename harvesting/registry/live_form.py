"""The form fields for the options of a live source, and the options that are stored from them."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.live.asking import check
from harvesting.live.cql import INDEX
from harvesting.live.options import Options, read_options, stored_form
from harvesting.live.types import ANY, FIELDS, YEAR
from harvesting.models import Repository
from harvesting.registry.feed_form import ColumnsField, FeedForm
from harvesting.registry.live_texts import field_names_help, option_fault
from harvesting.transports.kind import TransportKind

WEB = {"inputmode": "url", "autocapitalize": "off", "spellcheck": "false"}


class IndexesField(forms.Field):
    """A field for the mapping field → CQL index, entered as lines."""

    widget: Any = forms.Textarea(attrs={"rows": 8, "cols": 60})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(f"{name} = {index}" for name, index in value.items()) if isinstance(value, Mapping) else value

    def to_python(self, value: Any) -> dict[str, str]:
        indexes = {}
        for line in filter(str.strip, (value or "").splitlines()):
            name, equals, index = (part.strip() for part in line.partition("="))
            if not equals or name not in (*FIELDS, YEAR) or not (INDEX.match(index) or (name == ANY and not index)):
                raise ValidationError(
                    _("“%(line)s”: write a field, an equals sign and an index; for example title = dc.title")
                    % {"line": line.strip()[:100]}
                )
            indexes[name] = index
        return indexes

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return self.to_python(data) != (initial or {})
        except ValidationError:
            return True


def _text(label: Any, help_text: Any = "", **attributes: Any) -> Callable[[Options], forms.Field]:
    def make(options: Options) -> forms.Field:
        return forms.CharField(label=label, help_text=help_text, max_length=500, required=False, **attributes)

    return make


def _template(options: Options) -> forms.Field:
    choices = [(template, media_type) for media_type, template in options.templates.items()]
    return forms.ChoiceField(
        label=gettext_lazy("Form of the answers"),
        choices=choices or [(options.template, options.template)],
        help_text=gettext_lazy("Choose the form with the most detailed records; the test search shows them."),
    )


def _rate(options: Options) -> forms.Field:
    return forms.FloatField(
        label=gettext_lazy("Searches per second, at most"),
        min_value=0.1,
        max_value=10,
        help_text=gettext_lazy(
            "1 suits most catalogues. If readers search more often than this, they get a recent result or have to wait."
        ),
    )


# Option → its field. Which of them a kind has is in `TransportKind.live_options`.
MAKERS: dict[str, Callable[[Options], forms.Field]] = {
    "known_item": _text(
        gettext_lazy("Words of the test search"),
        gettext_lazy(
            "Words for which this catalogue certainly has hits. The test search uses them, and they are searched for "
            "every day to see whether the catalogue still answers."
        ),
    ),
    "indexes": lambda options: IndexesField(
        label=gettext_lazy("Indexes"),
        required=False,
        help_text=field_names_help(),
    ),
    "template": _template,
    "items": _text(
        gettext_lazy("Path of the list of records"),
        gettext_lazy("Names joined by dots, for example response.docs. Empty: the answer itself is the list."),
    ),
    "fields": lambda options: ColumnsField(
        label=gettext_lazy("Fields of a record"),
        help_text=gettext_lazy("One line for each: path = field. For example volumeInfo.title = title"),
    ),
    "total": _text(
        gettext_lazy("Path of the number of hits"), gettext_lazy("Empty if the answer does not say how many there are.")
    ),
    "link": _text(
        gettext_lazy("Address of the page of a record"),
        gettext_lazy(
            "A path, or an address with paths in braces, for example https://catalog.example.jp/books/{id}. Empty: the "
            "address that is in the record."
        ),
    ),
    "search_page": _text(
        gettext_lazy("Search page for readers"),
        gettext_lazy(
            "The page where readers can continue their search, with {words} in place of the search words. If empty, "
            "no link is shown."
        ),
        widget=forms.TextInput(attrs=WEB),
    ),
    "encoding": lambda options: forms.ChoiceField(
        label=gettext_lazy("Character encoding of the words in the address"), choices=Repository.LinkEncoding.choices
    ),
    "rate": _rate,
}


def live_fields(kind: TransportKind, options: Options) -> dict[str, forms.Field]:
    """The fields for the options of a kind of live source, with the present values as initial ones."""
    fields = {}
    for name in kind.live_options:
        field = MAKERS[name](options)
        field.initial = getattr(options, name)
        fields[name] = field
    return fields


def options_from(kind: TransportKind, options: Options, data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the options with what was entered, as they are stored. prefix: the chosen format of records.

    Fields without a valid value keep their present one.
    """
    entered = {name: data[name] for name in kind.live_options if data.get(name) is not None}
    if prefix in options.schemas:
        entered["schema"] = options.schemas[prefix]
    return stored_form(msgspec.structs.replace(options, **entered))


def options_or_none(stored: Mapping[str, Any]) -> Options:
    """The options of a feed; empty ones if what is stored cannot be read any more."""
    try:
        return read_options(stored)
    except ValueError:
        return Options()


def add_faults(form: forms.BaseForm, kind: TransportKind, stored: Mapping[str, Any]) -> None:
    """Add an error to the form if a source cannot be asked with these options."""
    code = check(kind.name, stored)
    places = {"fields": "fields", "options": None, "template.no_words": "search_page"}
    if code:
        place = places.get(code, "search_page" if stored.get("search_page") else "link")
        form.add_error(place if place in form.fields else None, option_fault(code))


class LiveFeedForm(FeedForm):
    """The form of a live source: its address, its login, and what is declared about it."""

    upload = columns = None  # type: ignore[assignment]  # drops the inherited fields

    class Meta(FeedForm.Meta):
        fields = ("base_url", "metadata_prefix", "ca_certificate")  # type: ignore[assignment]  # fewer fields

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.declared = options_or_none(self.instance.live_options)
        formats = list(self.declared.schemas)
        if formats:
            self.fields["metadata_prefix"] = forms.ChoiceField(
                label=_("Format"), choices=[(name, name) for name in formats], required=False
            )
        else:
            del self.fields["metadata_prefix"]
        self.fields["base_url"].help_text = _(self.instance.transport_kind.address)
        self.fields.update(live_fields(self.instance.transport_kind, self.declared))

    @property
    def live(self) -> list[forms.BoundField]:
        """The fields about the source, with the format of its records if it offers several."""
        chosen = ("metadata_prefix",) if "metadata_prefix" in self.fields else ()
        return [self[name] for name in (*chosen, *self.instance.transport_kind.live_options)]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not self.errors:
            kind, prefix = self.instance.transport_kind, data.get("metadata_prefix", "")
            self.instance.live_options = options_from(kind, self.declared, data, prefix)
            add_faults(self, kind, self.instance.live_options)
        return data
