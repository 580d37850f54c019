"""The form for rulings. Records may be named by id or by the address of their page; each missing field is named."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.catalogue.books import Gone, find_book
from aggregator.grouping.rulings.meaning import FREEZE, IGNORE, LOCK, NOT_SAME, PRINTINGS, SAME
from aggregator.models import BOOK_ID, MatchRuling, Member
from aggregator.review.rulings import Contradiction, check
from harvesting.models import PUBLIC_ID, REPOSITORY_NUMBER, Repository, SourceRecord
from metadata.identifiers import normalise

_RECORD = re.compile(PUBLIC_ID)
_BOOK = re.compile(rf"\b{BOOK_ID}\b")
REPOSITORY = re.compile(REPOSITORY_NUMBER)
GROUP_AT_MOST = 100  # records of a locked group

CHOICES = [
    (SAME, gettext_lazy("Two records describe the same book: combine them")),
    (NOT_SAME, gettext_lazy("Two records describe different books: keep them apart")),
    (LOCK, gettext_lazy("A group is correct: no record is added or removed")),
    (FREEZE, gettext_lazy("A record is not grouped with any other")),
    (IGNORE, gettext_lazy("An ISBN is ignored")),
    (PRINTINGS, gettext_lazy("The dates of a provider are those of printings, not of editions")),
]


def record_named(text: str) -> str:
    """Return the id of the record that a text names by its id or address; for a book, of its oldest record. "" if the
    text names neither.
    """
    if record := _RECORD.search(text):
        return record[0]
    book = _BOOK.search(text)
    try:
        return find_book(book[0]).oldest if book else ""
    except (SourceRecord.DoesNotExist, Gone):
        return ""


class RulingForm(forms.ModelForm[MatchRuling]):
    """A new ruling. Which fields are needed depends on its kind; a ruling that contradicts others is refused."""

    verdict = forms.ChoiceField(label=gettext_lazy("Ruling"), choices=CHOICES, widget=forms.RadioSelect)
    first = forms.CharField(
        label=gettext_lazy("record"),
        required=False,
        widget=forms.TextInput(attrs={"size": 50}),
        help_text=gettext_lazy(
            "The record’s ID or the address of its page. To ignore an ISBN: the record; a repository "
            "number for all records of that provider; or leave empty for all records. For the dates of a provider: its "
            "repository number."
        ),
    )
    second = forms.CharField(
        label=gettext_lazy("other record"),
        required=False,
        widget=forms.TextInput(attrs={"size": 50}),
        help_text=gettext_lazy("Only for comparing two records."),
    )
    group = forms.CharField(
        label=gettext_lazy("records of the group"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "Only for a locked group: IDs or addresses, one per line. If only one is given, its "
            "whole current group is used."
        ),
    )
    copies = forms.BooleanField(
        label=gettext_lazy("also for records with the same description"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Only for comparing two records: the ruling concerns all records that are described in the same way as one "
            "of the two, also those that arrive later."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("reason"),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Recorded for people who look at this ruling later."),
    )

    class Meta:
        model = MatchRuling
        fields = ["verdict", "first", "second", "isbn", "reason"]

    field_order = ["verdict", "first", "second", "copies", "group", "isbn", "reason"]

    def clean_first(self) -> str:
        text: str = self.cleaned_data["first"].strip()
        verdict = self.cleaned_data.get("verdict")
        if verdict == PRINTINGS or verdict == IGNORE and REPOSITORY.fullmatch(text):
            if not Repository.objects.filter(number=text).exists():
                raise forms.ValidationError(_("There is no provider %(number)s.") % {"number": text})
            return text
        return self._record(text) if text else ""

    def clean_second(self) -> str:
        text = self.cleaned_data["second"].strip()
        return self._record(text) if text else ""

    def clean_isbn(self) -> str:
        text = self.cleaned_data["isbn"].strip()
        number = normalise("ISBN", text) if text else ""
        if text and not number:
            raise forms.ValidationError(_("This is not a valid ISBN."))
        return number

    def clean_group(self) -> list[str]:
        public_ids = [self._record(line) for line in self.cleaned_data["group"].split()]
        if len(public_ids) == 1:
            members = Member.objects.filter(manifestation__members__source_record__public_id=public_ids[0])
            public_ids = list(members.values_list("source_record__public_id", flat=True)) or public_ids
        if len(public_ids) > GROUP_AT_MOST:
            raise forms.ValidationError(
                _("A group of more than %(most)d records cannot be locked.") % {"most": GROUP_AT_MOST}
            )
        return sorted(set(public_ids))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        for name, text in _missing(cleaned).items():
            self.add_error(name, text)
        if not self.errors:
            _empty_unused_fields(cleaned)
        return cleaned

    def _post_clean(self) -> None:
        """Complete the row, then check it against the rulings in force."""
        self.instance.records = self.cleaned_data.get("group") or []
        names = self.cleaned_data.get("first"), self.cleaned_data.get("second")
        self.instance.with_copies = [*names] if self.cleaned_data.get("copies") and all(names) else []
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        try:
            check(self.instance)
        except Contradiction as error:
            self.add_error(None, error.message)

    def _record(self, text: str) -> str:
        found = record_named(text)
        if not SourceRecord.objects.filter(public_id=found).exists():
            raise forms.ValidationError(_("There is no record %(text)s.") % {"text": text})
        return found


def _missing(cleaned: dict[str, Any]) -> dict[str, str]:
    """Return field -> what it lacks for this kind of ruling."""
    verdict, first, second = cleaned["verdict"], cleaned["first"], cleaned["second"]
    lacking = {
        "first": verdict in (SAME, NOT_SAME, FREEZE, PRINTINGS) and not first,
        "second": verdict in (SAME, NOT_SAME) and not second,
        "isbn": verdict == IGNORE and not cleaned["isbn"],
    }
    found = {name: _("This kind of ruling requires this field.") for name, lacks in lacking.items() if lacks}
    if not found and verdict in (SAME, NOT_SAME) and first == second:
        found["second"] = _("The same record is given twice.")
    if verdict == LOCK and len(cleaned["group"]) < 2:
        found["group"] = _("A group has at least two records. To keep a record on its own, choose that kind of ruling.")
    return found


def _empty_unused_fields(cleaned: dict[str, Any]) -> None:
    """Empty the fields that this kind of ruling does not use."""
    verdict = cleaned["verdict"]
    if verdict == LOCK:
        cleaned["first"] = ""
    else:
        cleaned["group"] = []
    if verdict not in (SAME, NOT_SAME):
        cleaned["second"] = ""
    if verdict != IGNORE:
        cleaned["isbn"] = ""
