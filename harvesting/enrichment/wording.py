"""Enrichment rules in words: the names of fields as pages show them, what a rule does, why one is refused."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from metadata.enrichment.documents import RuleError
from metadata.enrichment.rules import AnyRule, Condition, Fixed, Replace, Split

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FIELD_LABELS: "Mapping[str, StrOrPromise]" = {
    "title": gettext_lazy("Title"),
    "title_reading": gettext_lazy("Reading of the title"),
    "alternative": gettext_lazy("Alternative title"),
    "volume": gettext_lazy("Volume"),
    "volume_title": gettext_lazy("Volume title"),
    "series": gettext_lazy("Series"),
    "edition": gettext_lazy("Edition"),
    "creator": gettext_lazy("Creator"),
    "creator_reading": gettext_lazy("Reading of the creator"),
    "creator_role": gettext_lazy("Role of the creator"),
    "contributor": gettext_lazy("Contributor"),
    "responsibility": gettext_lazy("Statement of responsibility"),
    "publisher": gettext_lazy("Publisher"),
    "publisher_place": gettext_lazy("Place of publication"),
    "issued": gettext_lazy("Date of publication (2001-04)"),
    "date": gettext_lazy("Date of publication as printed"),
    "extent": gettext_lazy("Extent"),
    "material_type": gettext_lazy("Material type"),
    "form": gettext_lazy("Form"),
    "language": gettext_lazy("Language"),
    "original_language": gettext_lazy("Language of the original"),
    "price": gettext_lazy("Price"),
    "audience": gettext_lazy("Audience"),
    "subject": gettext_lazy("Keyword"),
    "ndc": gettext_lazy("NDC class"),
    "genre": gettext_lazy("Genre"),
    "spatial": gettext_lazy("Place as subject"),
    "temporal": gettext_lazy("Period as subject"),
    "abstract": gettext_lazy("Abstract"),
    "contents": gettext_lazy("Contents"),
    "note": gettext_lazy("Note"),
    "rights": gettext_lazy("Rights"),
    "access_rights": gettext_lazy("Access rights"),
    "link": gettext_lazy("See also"),
    "item_library": gettext_lazy("Name of the holding library"),
    "item_library_code": gettext_lazy("Code of the holding library"),
    "item_call_number": gettext_lazy("Call number"),
    "item_location": gettext_lazy("Location of the copy"),
}
KINDS: "Mapping[str, StrOrPromise]" = {
    "fixed": gettext_lazy("Set a value"),
    "replace": gettext_lazy("Find and replace"),
    "codes": gettext_lazy("Map a list of codes"),
    "split": gettext_lazy("Split a field"),
}
TESTS: "Mapping[str, StrOrPromise]" = {
    "is": gettext_lazy("is"),
    "contains": gettext_lazy("contains"),
    "empty": gettext_lazy("is empty"),
    "filled": gettext_lazy("is not empty"),
}
PROBLEMS: "Mapping[str, StrOrPromise]" = {
    "field_unknown": gettext_lazy("There is no such field."),
    "text_wrong": gettext_lazy("The text contains characters that XML cannot carry."),
    "condition_value": gettext_lazy("The condition needs a value."),
    "value_wrong": gettext_lazy("The field cannot take this value."),
    "cannot_add": gettext_lazy("Values cannot be added to this field."),
    "cannot_split": gettext_lazy("This field cannot be split into several values."),
    "pattern_wrong": gettext_lazy("The pattern cannot be read."),
    "pattern_empty": gettext_lazy("The pattern also matches where there is no text."),
    "pattern_long": gettext_lazy("The pattern is too long: at most 200 characters."),
    "pattern_large": gettext_lazy("The pattern is too complex."),
    "replacement_wrong": gettext_lazy("The replacement refers to a group that the pattern does not have."),
    "code_twice": gettext_lazy("A code is in the list twice."),
    "code_empty": gettext_lazy("A line has no code."),
    "line_wrong": gettext_lazy("A line does not have two columns."),
    "too_many_codes": gettext_lazy("The list is too long: at most 5,000 codes."),
    "name_twice": gettext_lazy("Another rule has this name."),
    "too_many_rules": gettext_lazy("There are too many rules: at most 50."),
    "document_wrong": gettext_lazy("This is not a file of enrichment rules."),
    "document_large": gettext_lazy("The file is too large: at most 2 MB."),
}
_STATED = {
    "is": gettext_lazy("%(field)s is “%(value)s”"),
    "contains": gettext_lazy("%(field)s contains “%(value)s”"),
    "empty": gettext_lazy("%(field)s is empty"),
    "filled": gettext_lazy("%(field)s is not empty"),
}

_EFFECTS = {
    "fixed": gettext_lazy("%(field)s becomes “%(value)s”"),
    "add": gettext_lazy("Add “%(value)s” to: %(field)s"),
    "replace": gettext_lazy("%(field)s: replace “%(find)s” by “%(replacement)s”"),
    "pattern": gettext_lazy("%(field)s: replace what matches %(find)s by “%(replacement)s”"),
    "codes": gettext_lazy("%(field)s: map %(count)s codes"),
    "split": gettext_lazy("%(field)s: split into several values at “%(separator)s”"),
    "into": gettext_lazy("%(field)s: what follows “%(separator)s” goes to: %(into)s"),
}


def field_label(name: str) -> str:
    """Return the name of a field in the language of the page."""
    return str(FIELD_LABELS.get(name, name))


def problem(error: RuleError) -> str:
    """Return why a rule is refused, in a sentence, with the value that is wrong."""
    name, text = f"{error.name}:" if error.name else "", str(PROBLEMS.get(error.code, error.code))
    return " ".join(filter(None, (name, text, field_label(error.detail))))


def effect(rule: AnyRule) -> str:
    """Return what a rule does, in a sentence."""
    return str(_EFFECTS[_variant(rule)]) % _values(rule)


def _variant(rule: AnyRule) -> str:
    """Return which sentence says what the rule does."""
    match rule:
        case Fixed():
            return "add" if rule.add else "fixed"
        case Replace():
            return "pattern" if rule.pattern else "replace"
        case Split():
            return "into" if rule.into else "split"
    return "codes"


def _values(rule: AnyRule) -> dict[str, object]:
    """Return what the sentence about a rule names."""
    values: dict[str, object] = {"field": field_label(rule.field)}
    match rule:
        case Fixed():
            return {**values, "value": rule.value}
        case Replace():
            return {**values, "find": rule.find, "replacement": rule.replacement}
        case Split():
            return {**values, "separator": rule.separator, "into": field_label(rule.into)}
    return {**values, "count": len(rule.codes)}


def stated(condition: Condition) -> str:
    """Return a condition as part of a sentence."""
    return str(_STATED[condition.test]) % {"field": field_label(condition.field), "value": condition.value}
