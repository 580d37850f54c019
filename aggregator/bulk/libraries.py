"""Bulk actions on libraries: their kind, their prefecture, whether they lend to other libraries."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy

from aggregator.libraries.editing.changes import change_field, put_back_field
from aggregator.libraries.editing.form import LENDING
from aggregator.libraries.editing.permitted import permitted_libraries
from aggregator.libraries.editing.selection import CONDITIONS, narrow, search
from aggregator.libraries.numbers import library_number
from aggregator.libraries.regions import PREFECTURES
from aggregator.models import Library
from harvesting.accounts.ranks import Role
from harvesting.bulk.base import Action, Change, Example, Portion, Target
from harvesting.models import BulkAction, BulkChange

PORTION = 50
LENDS = {"true": True, "false": False, "": None}


def _prefectures() -> list[tuple[str, str]]:
    return [(place.code, place.name(get_language() or "")) for place in PREFECTURES.values()]


class KindForm(forms.Form):
    """The kind of the libraries."""

    kind = forms.ChoiceField(label=gettext_lazy("kind of library"), choices=Library.Kind.choices)


class PrefectureForm(forms.Form):
    """The prefecture in which the libraries are."""

    prefecture = forms.ChoiceField(label=gettext_lazy("prefecture"), choices=_prefectures)


class LendingForm(forms.Form):
    """Whether the libraries lend to others."""

    lends = forms.ChoiceField(label=gettext_lazy("lends to other libraries"), choices=LENDING, required=False)


def _rows(query: QueryDict, person: Any) -> QuerySet[Library]:
    condition = query.get("show", "")
    found = search(permitted_libraries(person), query.get("q", "").strip()[:200])
    return narrow(found, condition if condition in CONDITIONS else "").filter(merged_into=None)


def _examples(numbers: Sequence[int], _query: QueryDict) -> list[Example]:
    rows = Library.objects.filter(pk__in=numbers).order_by("pk")
    return [
        Example(row.label, library_number(row.pk), reverse("manage_library", args=[library_number(row.pk)]))
        for row in rows
    ]


def _set(field: str, portion: Portion) -> list[Change]:
    value = _value(field, portion.parameters[field])
    changes = []
    for number in portion.numbers:
        before = change_field(number, field, value)
        if before is not None:
            changes.append(Change(number, None, {"before": before[0], "marks": before[1], "now": value}))
    return changes


def _value(field: str, text: str) -> Any:
    return LENDS[text] if field == "lends" else text


def _put_back(field: str, _bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    return {
        change.number
        for change in changes
        if put_back_field(
            change.number, field, change.before["now"], change.before["before"], marks=change.before["marks"]
        )
    }


LIBRARIES = Target(
    name="libraries",
    label=gettext_lazy("Libraries"),
    model=Library,
    rows=_rows,
    examples=_examples,
    page="manage_libraries",
)
ACTIONS = (
    Action(
        name="libraries.kind",
        target=LIBRARIES,
        label=gettext_lazy("Set the kind of library"),
        effect=gettext_lazy("These libraries get the same kind, which records no longer change."),
        form=KindForm,
        least=Role.STAFF,
        apply=partial(_set, "kind"),
        undo=partial(_put_back, "kind"),
        portion=PORTION,
    ),
    Action(
        name="libraries.prefecture",
        target=LIBRARIES,
        label=gettext_lazy("Set the prefecture"),
        effect=gettext_lazy(
            "These libraries get the same prefecture, which records no longer change. Libraries with a municipality "
            "are left out."
        ),
        form=PrefectureForm,
        least=Role.STAFF,
        applicable=lambda _query, rows: rows.filter(municipality=""),
        apply=partial(_set, "prefecture"),
        undo=partial(_put_back, "prefecture"),
        portion=PORTION,
    ),
    Action(
        name="libraries.lends",
        target=LIBRARIES,
        label=gettext_lazy("Set whether they lend"),
        effect=gettext_lazy("These libraries are marked as lending to other libraries, or as not lending."),
        form=LendingForm,
        least=Role.STAFF,
        apply=partial(_set, "lends"),
        undo=partial(_put_back, "lends"),
        portion=PORTION,
    ),
)
