"""The form of an enrichment rule, one for each kind of rule, and those around it. They return values, store nothing."""

from collections.abc import Iterator
from typing import Any

import msgspec
from django import forms
from django.utils.translation import gettext_lazy as _

from harvesting.enrichment.wording import FIELD_LABELS, TESTS, problem
from metadata.enrichment.documents import LARGEST, RuleError, check_rule, read_codes, read_rules, write_codes
from metadata.enrichment.fields import FIELDS
from metadata.enrichment.rules import MOST_CONDITIONS, AnyRule, Fixed, MapCodes, Replace, Split

FIELD_CHOICES = list(FIELD_LABELS.items())
NEW_VALUES = [(name, label) for name, label in FIELD_CHOICES if FIELDS[name].make is not None]
LONGEST = 2_000  # characters of a text
PLAIN = {"spellcheck": "false", "autocapitalize": "off"}


class _Unstripped(forms.CharField):
    """A text whose spaces matter: a separator may be one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, widget=forms.TextInput(attrs=PLAIN), **options)


class RuleForm(forms.Form):
    """What all kinds of rules have. Subclasses add what their kind needs."""

    kind: type[AnyRule]

    name = forms.CharField(
        label=_("Name of the rule"),
        max_length=100,
        help_text=_("Staff see it in the history of every record that the rule changed."),
    )
    field = forms.ChoiceField(label=_("Field"), choices=FIELD_CHOICES)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        for number in range(MOST_CONDITIONS):
            self.fields[f"if_field_{number}"] = forms.ChoiceField(
                label=_("Field"), choices=[("", "–"), *FIELD_CHOICES], required=False
            )
            self.fields[f"if_test_{number}"] = forms.ChoiceField(
                label=_("Condition"), choices=list(TESTS.items()), required=False
            )
            self.fields[f"if_value_{number}"] = _Unstripped(label=_("Value"), max_length=LONGEST, required=False)

    def own_fields(self) -> list[forms.BoundField]:
        """Return the fields without those of the conditions."""
        return [field for field in self if not field.name.startswith("if_")]

    def conditions(self) -> list[list[forms.BoundField]]:
        """Return the fields of the conditions, row by row."""
        parts = ("field", "test", "value")
        return [[self[f"if_{part}_{number}"] for part in parts] for number in range(MOST_CONDITIONS)]

    @classmethod
    def values_of(cls, rule: AnyRule) -> dict[str, Any]:
        """Return the initial values of the form for a rule."""
        values = {name: value for name, value in msgspec.structs.asdict(rule).items() if name != "conditions"}
        for number, condition in enumerate(rule.conditions):
            for part in ("field", "test", "value"):
                values[f"if_{part}_{number}"] = getattr(condition, part)
        return values

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                values = {**self._rule_values(), "conditions": list(self._conditions())}
                data["rule"] = msgspec.convert(values, self.kind)
                check_rule(data["rule"])
            except RuleError as error:
                raise forms.ValidationError(problem(RuleError(error.code, detail=error.detail))) from error
            except msgspec.ValidationError as error:
                raise forms.ValidationError(str(error)) from error
        return data

    @property
    def rule(self) -> AnyRule:
        """The rule of a valid form."""
        rule: AnyRule = self.cleaned_data["rule"]
        return rule

    def _rule_values(self) -> dict[str, Any]:
        own = [name for name in self.fields if not name.startswith("if_")]
        return {"kind": self.kind.__struct_config__.tag, **{name: self.cleaned_data[name] for name in own}}

    def _conditions(self) -> Iterator[dict[str, str]]:
        for number in range(MOST_CONDITIONS):
            if field := self.cleaned_data.get(f"if_field_{number}"):
                test = self.cleaned_data.get(f"if_test_{number}") or "is"
                value = self.cleaned_data.get(f"if_value_{number}", "") if test in {"is", "contains"} else ""
                yield {"field": field, "test": test, "value": value}


class FixedForm(RuleForm):
    """A value that every record gets."""

    kind = Fixed

    value = forms.CharField(label=_("Value"), max_length=LONGEST)
    add = forms.BooleanField(label=_("Add it to the values that are there, instead of replacing them"), required=False)


class ReplaceForm(RuleForm):
    """A text or a pattern, and what takes its place."""

    kind = Replace

    find = _Unstripped(label=_("Find"), max_length=LONGEST)
    replacement = _Unstripped(
        label=_("Replace by"), max_length=LONGEST, required=False, help_text=_("Empty: what was found is removed.")
    )
    pattern = forms.BooleanField(
        label=_("It is a pattern (regular expression)"),
        required=False,
        help_text=_(
            r"As in RE2: \d for a digit, \pL for a letter, ( ) for a group that \1 in the replacement stands for."
        ),
    )


class CodesForm(RuleForm):
    """A pasted list of codes."""

    kind = MapCodes

    codes = forms.CharField(
        label=_("List of codes"),
        max_length=LARGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, **PLAIN}),
        help_text=_(
            "One code per line, then a tab or a comma, then its value; as copied from a spreadsheet. "
            "Without a value, the code is removed."
        ),
    )

    @classmethod
    def values_of(cls, rule: AnyRule) -> dict[str, Any]:
        values = super().values_of(rule)
        return {**values, "codes": write_codes(rule.codes)} if isinstance(rule, MapCodes) else values

    def clean_codes(self) -> tuple[tuple[str, str], ...]:
        try:
            return read_codes(self.cleaned_data["codes"])
        except RuleError as error:
            raise forms.ValidationError(problem(error)) from error


class SplitForm(RuleForm):
    """A separator, and where the second part goes."""

    kind = Split

    separator = _Unstripped(label=_("Separator"), max_length=50)
    into = forms.ChoiceField(
        label=_("What follows the separator goes to"),
        choices=[("", _("the same field, as further values")), *NEW_VALUES],
        required=False,
    )


FORMS: dict[str, type[RuleForm]] = {
    "fixed": FixedForm,
    "replace": ReplaceForm,
    "codes": CodesForm,
    "split": SplitForm,
}


def kind_of(rule: AnyRule) -> str:
    """Return the kind of a rule, a key of FORMS."""
    return next(name for name, form in FORMS.items() if isinstance(rule, form.kind))


class ImportForm(forms.Form):
    """A file of rules, as another provider's page gives it."""

    file = forms.FileField(label=_("File of enrichment rules (JSON)"))

    def clean_file(self) -> tuple[AnyRule, ...]:
        upload = self.cleaned_data["file"]
        try:
            if upload.size > LARGEST:
                raise RuleError("document_large")
            return read_rules(upload.read())
        except RuleError as error:
            raise forms.ValidationError(problem(error)) from error


class UseForm(forms.Form):
    """The rules that were previewed, as the page sends them back, and why they are made."""

    document = forms.CharField(max_length=LARGEST, strip=False, widget=forms.HiddenInput)
    base = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=500, required=False)

    def clean_document(self) -> tuple[AnyRule, ...]:
        try:
            return read_rules(self.cleaned_data["document"].encode())
        except (RuleError, UnicodeEncodeError) as error:
            raise forms.ValidationError(str(error)) from error
