"""Readers' comments on two records ("the same book", "different books"): stored, listed for staff, and closed.

A reader is recognised by the secret in the browser's CSRF cookie. Only a digest of this secret and the pair is stored,
so it tells nothing about the reader and cannot be compared between pairs; it is erased when staff close the comment.
In this module a comment is called a word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Optional

from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from aggregator.grouping.rulings.meaning import FREEZE, IGNORE, PRINTINGS, Ruling, Rulings
from aggregator.models import ErrorReport, Member
from harvesting.audit.trail import note
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SALT = "aggregator.readers_word"
MOST = 500  # pairs that are listed at once; readers can send a hundred reports an hour
REMARKS = 20  # of one pair that are shown

type Pair = tuple[str, str]  # public ids, in order


@dataclass(frozen=True, slots=True)
class Remark:
    """What one reader wrote."""

    kind: str
    text: str
    created: datetime


@dataclass(frozen=True, slots=True)
class Words:
    """The open comments on a pair: how many call the records the same or different, and the texts of some."""

    same: int
    different: int
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedPair:
    """A pair on which readers commented. number: primary key of the oldest open comment. readers: their number."""

    number: int
    readers: int
    first: str
    second: str


def sender(secret: str, pair: Pair) -> str:
    """Return the digest by which a browser's earlier comment on a pair is found. secret: of its cookie.

    Without a secret it is "", and no earlier comment is found.
    """
    return salted_hmac(SALT, " ".join((secret, *pair)), algorithm="sha256").hexdigest()[:32] if secret else ""


def store_word(pair: Pair, kind: str, text: str, digest: str) -> bool:
    """Store a comment; it replaces an earlier open one of the same reader on the pair. Return False if one of the
    records has been deleted or withheld.

    kind: ErrorReport.Kind SAME or NOT_SAME. digest: see `sender`.
    """
    current = SourceRecord.objects.filter(public_id__in=pair, deleted=False, suppressed_at=None)
    titles = {
        name: unpack_record(bytes(record)).title
        for name, record in current.values_list("public_id", "record")
        if record
    }
    if len(titles) < 2:
        return False
    about: dict[str, Any] = {"public_id": pair[0], "other": pair[1], "handled": None, "sender": digest}
    values = {"kind": kind, "text": text, "title": titles[pair[0]][: ErrorReport._meta.get_field("title").max_length]}
    if digest:
        ErrorReport.objects.update_or_create(**about, defaults=values)
    else:
        ErrorReport.objects.create(**about, **values)
    return True


def words_about(first: str, second: str) -> Words | None:
    """Return the open comments on two records; None if there are none."""
    rows = list(_about(first, second).order_by("pk").values_list("kind", "text", "created"))
    if not rows:
        return None
    same = sum(kind == ErrorReport.Kind.SAME for kind, _text, _created in rows)
    remarks = tuple(Remark(*row) for row in rows if row[1])
    return Words(same, len(rows) - same, remarks[:REMARKS])


def reported_pairs(repository: str = "") -> list[ReportedPair]:
    """Return the pairs that wait for staff, those with most readers first. repository: number of a provider of one of
    the records, "" for all.

    A pair is left out as long as one of its records is in no group, because staff could not rule on it.
    """
    words = ErrorReport.objects.open_words().filter(_is_grouped("public_id"), _is_grouped("other"))
    if repository:
        begins = f"{repository}-"
        words = words.filter(Q(public_id__startswith=begins) | Q(other__startswith=begins))
    counted = words.order_by().values("public_id", "other").annotate(number=Min("pk"), readers=Count("pk"))
    rows = counted.order_by("-readers", "number").values_list("number", "readers", "public_id", "other")
    return [ReportedPair(*row) for row in rows[:MOST]]


def after_number(pairs: Sequence[ReportedPair], number: int) -> Sequence[ReportedPair]:
    """Return the pairs after the one with this number; all if it is not among them any more."""
    place = next((place for place, pair in enumerate(pairs) if pair.number == number), -1)
    return pairs[place + 1 :]


@transaction.atomic
def dismiss(first: str, second: str, author: Optional["User"]) -> int:
    """Close the comments on two records without a ruling; return how many there were."""
    rows = list(_about(first, second))
    if rows:
        note(author, "match.dismissed", rows[0], details={"first": first, "second": second, "words": len(rows)})
    return _close([row.pk for row in rows], author)


def close_settled(ruling: Ruling, in_force: Rulings, author: Optional["User"]) -> int:
    """Close the comments that a new ruling answers, alone or together with the others; return how many.

    in_force: all rulings in force, including the new one.
    """
    if ruling.verdict in (
        IGNORE,
        PRINTINGS,
    ):  # such a ruling does not say whether two records are the same book: the comments stay open
        return 0
    names = {name for of in ruling.names for name in in_force.class_of(of)}
    words = ErrorReport.objects.open_words().filter(Q(public_id__in=names) | Q(other__in=names))
    rows = list(words.values_list("pk", "public_id", "other"))
    return _close([pk for pk, first, second in rows if _is_settled(ruling, in_force, first, second)], author)


def _is_settled(ruling: Ruling, in_force: Rulings, first: str, second: str) -> bool:
    if ruling.verdict == FREEZE and ruling.first in (first, second):
        return True
    return second in in_force.class_of(first) or second in in_force.apart.get(first, ())


def _about(first: str, second: str) -> QuerySet[ErrorReport]:
    one, other = sorted((first, second))
    return ErrorReport.objects.open_words().filter(public_id=one, other=other)


def _is_grouped(column: str) -> Exists:
    return Exists(Member.objects.filter(source_record__public_id=OuterRef(column)))


def _close(pks: Sequence[int], author: Optional["User"]) -> int:
    words = ErrorReport.objects.filter(pk__in=pks, handled=None)
    return words.update(handled=timezone.now(), handled_by=author, sender="")
