"""Staff's rulings: made, refused with the chain that they contradict, undone, confirmed after a change."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.grouping.ruling_rows import concerned, in_force, ruling, snapshot, wait
from aggregator.grouping.rulings import Ruling
from aggregator.models import MatchRuling
from harvesting.audit.trail import note

if TYPE_CHECKING:
    from django.contrib.auth.models import User

NO_TITLES: Mapping[str, str] = {}
SENTENCES = {
    "same": gettext_lazy("%(first)s and %(second)s are the same"),
    "not_same": gettext_lazy("%(first)s and %(second)s are not the same"),
    "lock": gettext_lazy("the group of %(records)s stays as it is"),
    "freeze": gettext_lazy("%(first)s stays alone"),
    "ignore": gettext_lazy("ISBN %(isbn)s does not count for %(scope)s"),
}


class Contradiction(Exception):
    """A ruling that cannot stand beside those in force. chain: these."""

    def __init__(self, chain: Sequence[Ruling]) -> None:
        super().__init__(" ".join(f"#{each.pk}" for each in chain))
        self.chain = tuple(chain)

    @property
    def message(self) -> str:
        """Why, in the language of the page."""
        steps = "; ".join(f"{sentence(each)} (#{each.pk})" for each in self.chain)
        return _("This contradicts what is ruled already: %(steps)s. Undo one of these first.") % {"steps": steps}


def sentence(about: Ruling, called: Mapping[str, str] = NO_TITLES) -> str:
    """What a ruling says, in the language of the page. called: public id -> what to call that record instead."""
    return SENTENCES[about.verdict] % {
        "first": called.get(about.first, about.first),
        "second": called.get(about.second, about.second),
        "records": ", ".join(called.get(each, each) for each in about.records),
        "isbn": about.isbn,
        "scope": called.get(about.first, about.first) or _("all records"),
    }


def check(row: MatchRuling) -> None:
    """Raises Contradiction."""
    chain = in_force().contradiction(ruling(row))
    if chain:
        raise Contradiction(chain)


@transaction.atomic
def carry_out(row: MatchRuling, author: Optional["User"]) -> set[int]:
    """Put a new ruling in force; whom it concerns waits for aggregation: their numbers. Raises Contradiction."""
    check(row)
    about = ruling(row)
    row.author, row.snapshot = author, snapshot(about)
    row.save()
    if author is not None:  # else it is only tried
        note(author, "match.ruled", f"#{row.pk} {sentence(about)}", row.reason)
    waiting = concerned(about, in_force())
    wait(waiting)
    return waiting


@transaction.atomic
def undo(row: MatchRuling, author: Optional["User"]) -> set[int]:
    """End a ruling; whom it concerned waits for aggregation: their numbers."""
    waiting = concerned(ruling(row), in_force())
    MatchRuling.objects.filter(pk=row.pk, undone=None).update(undone=timezone.now(), undone_by=author)
    if author is not None:
        note(author, "match.undone", f"#{row.pk} {sentence(ruling(row))}")
    wait(waiting)
    return waiting


def confirm(row: MatchRuling) -> None:
    """Staff looked again and hold to it: what it is judged by is what stands there now."""
    MatchRuling.objects.filter(pk=row.pk).update(snapshot=snapshot(ruling(row)), recheck=None)
