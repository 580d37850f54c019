"""What a bulk action is: the rows that it is about (`Target`), and what is done with a portion of them (`Action`)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import Model, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from harvesting.accounts.ranks import Role
from harvesting.models import BulkAction, BulkChange

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PORTION = 200  # rows per transaction
NOTHING_TO_DO = gettext_lazy("Nothing to do")


class Busy(Exception):
    """A portion cannot be carried out now, for example because the feed is being harvested; it is tried again."""


class NoParameters(forms.Form):
    """The form of an action that asks the person for nothing."""


@dataclass(frozen=True, slots=True)
class Example:
    """A row as the preview shows it: its name, what it is about, and the address of its page."""

    name: str
    text: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The rows that a filter describes.

    rows: those of the filter that a person may act on. keep: the ids of those that also meet the conditions that the
    database cannot check; by default all. page: URL name of the page that shows the filter. filter_form: its form, for
    the names of its fields. say: the value of a field of the filter in words, given the name of the field. after:
    called once when an action on these rows has ended or been undone, with the ids of the providers concerned.
    """

    name: str
    label: "StrOrPromise"
    model: type[Model]
    rows: Callable[[QueryDict, Any], QuerySet[Any]]
    examples: Callable[[Sequence[int], QueryDict], list[Example]]
    page: str
    filter_form: type[forms.Form] = forms.Form
    say: Callable[[str, str], str] = lambda _name, value: value
    keep: Callable[[QueryDict, QuerySet[Any]], Iterable[int]] = lambda _query, rows: rows.values_list("pk", flat=True)
    after: Callable[[Iterable[int]], None] = lambda _repositories: None


@dataclass(frozen=True, slots=True)
class Change:
    """A row that was changed. before: what undoing needs."""

    number: int
    repository: int | None
    before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Portion:
    """Rows to be changed in one transaction. parameters: the cleaned values of the action's form."""

    bulk: BulkAction
    person: Any
    parameters: Mapping[str, Any]
    numbers: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that is done with all rows of a filter.

    effect: a sentence that says what will happen. applicable: the rows for which the action does something. apply:
    changes a portion and returns what it changed; called in a transaction, may raise Busy. undo: takes changes back for
    a person and returns the ids of the rows of those that it could take back; None if the action cannot be undone, for
    the reason `lasting`. unconcerned: what is said of the rows of the filter that are not applicable.
    """

    name: str
    target: Target
    label: "StrOrPromise"
    effect: "StrOrPromise"
    apply: Callable[[Portion], list[Change]]
    undo: Callable[[BulkAction, Any, Sequence[BulkChange]], set[int]] | None = None
    lasting: "StrOrPromise" = ""
    unconcerned: "StrOrPromise" = NOTHING_TO_DO
    applicable: Callable[[QueryDict, QuerySet[Any]], QuerySet[Any]] = lambda _query, rows: rows
    form: type[forms.Form] = NoParameters
    least: Role = Role.LIBRARIAN
    portion: int = PORTION

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The stored parameters as the form cleans them."""
        form = self.form(dict(given))
        return form.cleaned_data if form.is_valid() else {}
