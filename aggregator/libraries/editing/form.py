"""The form of a library: every field, checked. Stores nothing itself."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from aggregator.libraries.editing.changes import ancestors
from aggregator.libraries.editing.sources import FIELDS
from aggregator.libraries.identify import FA, ISIL, LONGEST_SCHEME, NAME, NDL, PROVIDER, code_of, one_line
from aggregator.libraries.list_cells import value_of
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.libraries.regions import PREFECTURES
from aggregator.models import Library, LibraryCode
from core.day_field import DayField

SCHEMES = (NDL, ISIL, FA)  # schemes that can be chosen
WEB = {"inputmode": "url", "autocapitalize": "off", "spellcheck": "false"}
NUMERIC = {"inputmode": "decimal", "autocomplete": "off"}
LENDING = (("", gettext_lazy("not known")), ("true", gettext_lazy("yes")), ("false", gettext_lazy("no")))


class ParentField(forms.Field):
    """A library, given by its number or one of its codes; its value is the library, or None."""

    def prepare_value(self, value: Any) -> Any:
        return library_number(value) if isinstance(value, int) else value

    def to_python(self, value: Any) -> Any:
        text = one_line(str(value or ""))
        if not text:
            return None
        found = library_named(text)
        if found is None:
            raise ValidationError(_("No library has the number or code %(text)s.") % {"text": text[:60]})
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        return str(self.prepare_value(initial or "")) != one_line(str(data or ""))


class LibraryForm(forms.ModelForm[Library]):
    """The fields of a library. shown: the stored values, by field; of a parent, its key."""

    name = forms.CharField(max_length=200)
    prefecture = forms.ChoiceField(required=False)
    municipality = forms.CharField(
        required=False,
        max_length=60,
        help_text=gettext_lazy("The code of JIS X 0402 (five digits), or the name of a large city."),
    )
    parent = ParentField(
        required=False,
        help_text=gettext_lazy("The number of the main library (for example L12), or one of its codes."),
    )
    lends = forms.TypedChoiceField(
        required=False,
        choices=LENDING,
        coerce=lambda value: value == "true",
        empty_value=None,
    )
    closed_on = DayField()

    class Meta:
        model = Library
        fields = tuple(name for name in FIELDS if name != "parent")
        help_texts = {
            "reading": gettext_lazy("In kana. Used for the order of lists."),
            "link_template": gettext_lazy(
                "The address for searching the library’s own catalogue, with placeholders in braces, for example "
                "https://opac.example.jp/openurl?rft.isbn={isbn}&rft.btitle={title}. It goes before the providers’ "
                "links."
            ),
            "page": gettext_lazy("Used as the link if nothing gives an address for the book."),
            "latitude": gettext_lazy("In degrees, for example 34.6937"),
            "longitude": gettext_lazy("In degrees, for example 135.5023"),
        }
        widgets = {
            "link_template": forms.TextInput(attrs=WEB),
            "page": forms.TextInput(attrs=WEB),
            "latitude": forms.TextInput(attrs=NUMERIC),
            "longitude": forms.TextInput(attrs=NUMERIC),
            "telephone": forms.TextInput(attrs={"inputmode": "tel"}),
            "remarks": forms.Textarea(attrs={"rows": 3}),
            "ill_terms": forms.Textarea(attrs={"rows": 3}),
        }

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.shown = {name: getattr(self.instance, "parent_id" if name == "parent" else name) for name in FIELDS}
        for name in FIELDS:
            self.fields[name].label = label_of(name)
        self.initial["parent"] = self.instance.parent_id
        self.initial["lends"] = {True: "true", False: "false", None: ""}[self.instance.lends]
        language = get_language() or ""
        places = [(place.code, place.name(language)) for place in PREFECTURES.values()]
        self.fields["prefecture"].choices = [("", "–"), *places]  # type: ignore[attr-defined]
        self.order_fields(FIELDS)

    @property
    def given(self) -> dict[str, Any]:
        """The values of a valid form, by field; of a parent, its key."""
        values = {name: self.cleaned_data[name] for name in FIELDS}
        return values | {"parent": values["parent"].pk if values["parent"] else None}

    @property
    def changed(self) -> dict[str, Any]:
        """The given values that differ from the stored ones."""
        return {name: value for name, value in self.given.items() if value != self.shown[name]}

    def clean_name(self) -> str:
        if not (name := one_line(self.cleaned_data["name"])):
            raise ValidationError(_("Enter the name of the library."))
        return name

    def clean_municipality(self) -> str:
        cell = self.cleaned_data["municipality"]
        if not cell:
            return ""
        try:
            code = str(value_of("municipality", cell))
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if not code:
            raise ValidationError(_("This municipality is not known by name. Enter its code (five digits)."))
        return code

    def clean_parent(self) -> Library | None:
        parent: Library | None = self.cleaned_data["parent"]
        if parent and self.instance.pk in (parent.pk, *ancestors(parent)):
            raise ValidationError(_("A library cannot be a branch of itself, or of one of its branches."))
        return parent

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name in ("remarks", "ill_terms"):
            data[name] = data.get(name, "").replace("\r\n", "\n")  # as browsers send line ends
        municipality = data.get("municipality", "")
        if municipality and "prefecture" in data:
            data["prefecture"] = data["prefecture"] or municipality[:2]
            if data["prefecture"] != municipality[:2]:
                self.add_error("municipality", _("This municipality is in another prefecture."))
        missing = [name for name in ("latitude", "longitude") if data.get(name, 0) is None]
        if len(missing) == 1:
            self.add_error(missing[0], _("Enter both coordinates, or neither."))
        return data


class CodeForm(forms.Form):
    """A further code of a library."""

    scheme = forms.ChoiceField(label=gettext_lazy("Scheme"), required=False)
    other = forms.CharField(
        label=gettext_lazy("Other scheme"), required=False, max_length=60, help_text=gettext_lazy("As records name it.")
    )
    value = forms.CharField(label=gettext_lazy("Code"), max_length=200)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.fields["scheme"].choices = [*((name, name) for name in SCHEMES), ("", _("another one"))]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        scheme = data.get("scheme") or one_line(data.get("other", ""), LONGEST_SCHEME)
        if not scheme:
            self.add_error("other", _("Name the scheme of the code."))
        elif scheme in (PROVIDER, NAME):
            self.add_error("other", _("Codes of this scheme are given by the program."))
        elif data.get("value"):
            data["code"] = code_of(scheme, data["value"])
            if data["code"] is None:
                self.add_error("value", _("Enter a code."))
        return data


def label_of(name: str) -> str:
    """Return the name of a field, for people."""
    return capfirst(next(str(column.verbose_name) for column in Library._meta.concrete_fields if column.name == name))


def library_named(text: str) -> Library | None:
    """Return the library with a number or a code; None for one that was merged into another."""
    text = one_line(text)
    if pk := library_pk(text):
        return Library.objects.current().filter(pk=pk).first()
    code = code_of(NDL, text)
    values = {text, code.value} if code else {text}
    rows = LibraryCode.objects.filter(value__in=values).exclude(scheme__in=(PROVIDER, NAME))
    row = rows.select_related("library").order_by("scheme").first()
    return row.library if row else None
