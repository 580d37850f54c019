"""Entries of the audit trail in the language of the reader.

Entries store codes, names of fields and rows. They are worded when they are shown, so that one entry reads well in
every language. Values that people typed, such as reasons, stay as they are.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.core.exceptions import FieldDoesNotExist
from django.utils.translation import gettext_lazy as _

from harvesting.accounts.access import LABELS as ROLE_LABELS
from harvesting.audit.trail import ACTIONS
from harvesting.models import AuditEntry, Feed, Harvest, Recipient, Repository

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

CHANGE = " → "  # between the old and the new value of a field
# Kinds of rows whose name contains words of the program; the names of other rows are shown as they were at the time.
WORDED_KINDS = {"matchruling"}
LABELS: "dict[str, StrOrPromise]" = {
    "action": _("action"),
    "address": _("address"),
    "before": _("role before"),
    "budget": _("searches per minute"),
    "change": _("change"),
    "code": _("rule"),
    "contact": _("contact"),
    "fields": _("fields"),
    "filter": _("filter"),
    "from_date": _("from"),
    "full": _("everything"),
    "house": _("identity provider"),  # in entries of earlier versions; now "institution"
    "how": _("how often"),
    "institution": _("identity provider"),
    "invited by": _("invited by"),
    "kind": _("kind"),
    "letter": _("message number"),
    "now": _("role now"),
    "person": _("person"),
    "place": _("field"),
    "providers": _("providers"),
    "records": _("records"),
    "role": _("role"),
    "rows": _("rows"),
    "table": _("table"),
    "until_date": _("until"),
    "when": _("timing"),
}
ROLE_NAMES: "dict[str, StrOrPromise]" = {role.name.lower(): label for role, label in ROLE_LABELS.items()}
VALUES: "dict[str, dict[str, StrOrPromise]]" = {
    "before": ROLE_NAMES,
    "how": dict(Recipient.How.choices),
    "kind": dict(Harvest.Kind.choices),
    "now": ROLE_NAMES,
    "role": ROLE_NAMES,
    "when": dict(Recipient.When.choices),
}
TRUTH: "dict[str, StrOrPromise]" = {"True": _("yes"), "False": _("no"), "None": "–", "": "–"}


class EntryWording(NamedTuple):
    """An entry with what is shown of it. details: label and value of each further fact."""

    entry: AuditEntry
    action: "StrOrPromise"
    about: str
    details: list[tuple[str, str]]


def word_entries(entries: Iterable[AuditEntry]) -> list[EntryWording]:
    """The wording of entries, in the same order."""
    entries = list(entries)
    names = _names(entries)
    return [
        EntryWording(
            entry,
            ACTIONS.get(entry.action, entry.action),
            names.get((entry.kind, entry.number), entry.about),
            [(_label(name), _value(name, value)) for name, value in entry.details.items()],
        )
        for entry in entries
    ]


def _names(entries: Iterable[AuditEntry]) -> dict[tuple[str, str], str]:
    """(kind, number) -> name in the active language, of the rows of WORDED_KINDS that still exist."""
    wanted: dict[str, set[str]] = {}
    for entry in entries:
        if entry.kind in WORDED_KINDS:
            wanted.setdefault(entry.kind, set()).add(entry.number)
    models = {str(model._meta.model_name): model for model in apps.get_models()}
    return {
        (kind, str(row.pk)): str(row)
        for kind, numbers in wanted.items()
        for row in models[kind]._default_manager.filter(pk__in=numbers)
    }


def _label(name: str) -> str:
    return str(LABELS.get(name) or _field_label(name))


def _field_label(name: str) -> "StrOrPromise":
    """The label of a column of a provider or a feed; the name itself if there is none."""
    for model in (Repository, Feed):
        try:
            return getattr(model._meta.get_field(name), "verbose_name", name)
        except FieldDoesNotExist:
            continue
    return name


def _value(name: str, value: object) -> str:
    """A value in words. Changes, "old → new", and lists of fields, "a, b", are worded part by part."""
    if name == "change":
        return LogEntry(change_message=str(value)).get_change_message()
    if name == "fields":
        return ", ".join(str(_label(field)) for field in str(value).split(", "))
    if name == "table":
        return str(_table(str(value)))
    return CHANGE.join(_words(name, part) for part in str(value).split(CHANGE))


def _words(name: str, value: str) -> str:
    choices = VALUES.get(name) or dict(_choices(name))
    return str(choices.get(value) or TRUTH.get(value, value))


def _choices(name: str) -> Iterator[tuple[str, "StrOrPromise"]]:
    for model in (Repository, Feed):
        try:
            field = model._meta.get_field(name)
        except FieldDoesNotExist:
            continue
        yield from ((str(value), label) for value, label in getattr(field, "flatchoices", ()))


def _table(label: str) -> "StrOrPromise":
    """The name of a table, stored as "app.model"; earlier versions stored the name itself."""
    try:
        return apps.get_model(label)._meta.verbose_name or label
    except (LookupError, ValueError):
        return label
