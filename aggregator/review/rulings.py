"""Staff's rulings: put in force, refused if they contradict others, undone, and confirmed after a record changed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.grouping.rulings.meaning import NOT_SAME, PRINTINGS, Ruling, Rulings
from aggregator.grouping.rulings.rows import (
    affected_records,
    contradiction,
    have_same_description,
    mark_for_aggregation,
    mark_provider,
    ruling_from_row,
    rulings_in_force,
    snapshot,
)
from aggregator.models import MatchRuling
from aggregator.review.readers_words import close_settled
from harvesting.audit.trail import note

if TYPE_CHECKING:
    from django.contrib.auth.models import User

NO_TITLES: Mapping[str, str] = {}
SENTENCES = {
    "same": gettext_lazy("%(first)s and %(second)s are the same"),
    "not_same": gettext_lazy("%(first)s and %(second)s are not the same"),
    "lock": gettext_lazy("the group of %(records)s is locked"),
    "freeze": gettext_lazy("%(first)s is not grouped with any other record"),
    "ignore": gettext_lazy("ISBN %(isbn)s is ignored for %(scope)s"),
    "printings": gettext_lazy("the dates of %(scope)s are those of printings"),
}


class Contradiction(Exception):
    """A ruling contradicts or repeats rulings in force. chain: these rulings."""

    def __init__(self, chain: Sequence[Ruling]) -> None:
        super().__init__(" ".join(f"#{about.pk}" for about in chain))
        self.chain = tuple(chain)

    @property
    def message(self) -> str:
        """The reason for the refusal, in the language of the page."""
        steps = "; ".join(f"{sentence(about)} (#{about.pk})" for about in self.chain)
        return _("This contradicts rulings in force: %(steps)s. Undo one of them first.") % {"steps": steps}


def sentence(about: Ruling, called: Mapping[str, str] = NO_TITLES) -> str:
    """Return what a ruling says, in the language of the page. called: public id -> name to print instead of it."""
    said = SENTENCES[about.verdict] % {
        "first": called.get(about.first, about.first),
        "second": called.get(about.second, about.second),
        "records": ", ".join(called.get(name, name) for name in about.records),
        "isbn": about.isbn,
        "scope": called.get(about.first, about.first) or _("all records"),
    }
    return (
        _("%(ruling)s (with all records described in the same way)") % {"ruling": said} if about.with_copies else said
    )


def check(row: MatchRuling) -> None:
    """Raise Contradiction if the ruling contradicts or repeats rulings in force that it does not replace.

    A ruling that is not made for a pattern replaces those that are.
    """
    in_force = rulings_in_force()
    chain = contradiction(in_force if row.by_pattern else in_force.of_persons(), ruling_from_row(row))
    if chain:
        raise Contradiction(chain)


@transaction.atomic
def carry_out(row: MatchRuling, author: Optional["User"]) -> set[int]:
    """Put a new ruling in force, with an entry in the audit trail; return the keys of the records concerned.

    author: None if the ruling is only tried, which leaves no entry in the audit trail. Raises Contradiction.
    """
    waiting = put_in_force(row, author)
    if author is not None:
        note(author, "match.ruled", row, row.reason)
    return waiting


@transaction.atomic
def put_in_force(row: MatchRuling, author: Optional["User"]) -> set[int]:
    """Put a new ruling in force, close the readers' comments that it answers, and mark the records concerned for
    aggregation; return the keys of these records. Rulings made for a pattern that it contradicts or repeats end.

    Raises Contradiction.
    """
    if row.verdict == NOT_SAME and len(row.with_copies) > 1 and have_same_description(row.first, row.second):
        row.with_copies = []  # both have one description, so the ruling can only be about these two records
    check(row)
    about = ruling_from_row(row)
    waiting = _replace(about, author)
    row.author, row.snapshot = author, snapshot(about)
    row.save()
    in_force = rulings_in_force()
    close_settled(about, in_force, author)
    return waiting | _regroup(about, in_force, author)


def _replace(new: Ruling, author: Optional["User"]) -> set[int]:
    """End the rulings made for a pattern that a checked ruling contradicts or repeats; return the keys of the records
    concerned.
    """
    waiting: set[int] = set()
    while chain := contradiction(rulings_in_force(), new):
        replaced = MatchRuling.objects.filter(pk__in=[ruling.pk for ruling in chain if ruling.by_pattern])
        if not replaced:
            raise Contradiction(chain)
        for row in replaced:
            waiting |= undo(row, author)
    return waiting


@transaction.atomic
def undo(row: MatchRuling, author: Optional["User"]) -> set[int]:
    """End a ruling, with an entry in the audit trail; return the keys of the records concerned."""
    if author is not None:
        note(author, "match.undone", row)
    return end(row, author)


@transaction.atomic
def end(row: MatchRuling, author: Optional["User"]) -> set[int]:
    """End a ruling and mark the records concerned for aggregation; return the keys of these records."""
    about, in_force = ruling_from_row(row), rulings_in_force()
    MatchRuling.objects.filter(pk=row.pk, undone=None).update(undone=timezone.now(), undone_by=author)
    return _regroup(about, in_force, author)


def _regroup(about: Ruling, in_force: Rulings, author: Optional["User"]) -> set[int]:
    waiting = affected_records(about, in_force)
    mark_for_aggregation(waiting)
    if about.verdict == PRINTINGS and author is not None:
        mark_provider(about.first)
    return waiting


def confirm(row: MatchRuling) -> None:
    """Confirm a ruling whose records have changed: from now on it is compared with the records as they are now."""
    MatchRuling.objects.filter(pk=row.pk).update(snapshot=snapshot(ruling_from_row(row)), recheck=None)
