"""When what we give on changed: what waits is compared with what was given last, and stamped where it differs.

A stamp is a second (UTC, since 1970) and never goes back: each is at least the last one given. It is given in the
transaction in which the change becomes visible; `barrier` keeps lists from overlooking one that is being given. What
is given on no more keeps its item, stamped when that began. A step is bounded and repeatable: what was changed
meanwhile waits again.
"""

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from django.db import transaction
from django.db.models import Max

from aggregator.models import Member, Provided, ProvidedTerms, ProvidedType
from aggregator.provision.contents import Content, Terms, all_terms, contents
from aggregator.provision.pending import mark_merged, number_of
from aggregator.provision.stamp_barrier import second, stamping
from aggregator.search.documents import OTHER_TYPE, types_of
from core.database.batches import chunks, update, upsert
from core.database.deferred_writes import Writes
from core.database.keyset import steps
from core.database.pacing import Pace
from harvesting.records.compression import unpack_record

STEP = 1000  # items of one transaction, at most
PACE = Pace(STEP)
FUTURE = 3600  # seconds ahead of the clock that no right clock has given: such stamps are given again


@dataclass(frozen=True, slots=True)
class State:
    """What was given last under an item."""

    pk: int
    deleted: bool
    types: str
    digest: bytes
    known: bool  # it was given at some time

    @property
    def live(self) -> bool:
        return self.known and not self.deleted


@dataclass(frozen=True, slots=True)
class Change:
    """What differs now. types: of what is gone the last ones."""

    state: State
    deleted: bool
    types: str
    digest: bytes

    @property
    def left(self) -> list[str]:
        """The types that it is not of any more."""
        kept = () if self.deleted else self.types.split()
        return [each for each in self.state.types.split() if each not in kept]


def stamp_waiting() -> Iterator[int]:
    """Stamp all that waits, step by step; yields how many items each step looked at."""
    terms = all_terms()
    _mark_new_terms(terms)
    _mark_stamps_of_the_future()
    while done := _step(terms):
        yield done


def something_waits() -> bool:
    """Whether `stamp_waiting` has work, that of changed terms included."""
    return Provided.objects.filter(waiting=True).exists() or bool(_new_terms(all_terms()))


def tell_everything() -> int:
    """Stamp all that was ever given on once more: who asks for what changed since the last time gets all of it, and
    what is gone as deleted. How many items. For a restored site, before others work on it."""
    with stamping() as begin:
        begin()
        stamp = _next_stamp()
        ProvidedType.objects.update(stamp=stamp)
        return Provided.objects.exclude(stamp=None).update(stamp=stamp)


def _step(terms: Mapping[int, Terms]) -> int:
    with stamping() as begin:
        begun = time.monotonic()
        states = _waiting()
        if not states:
            return 0
        now_given = contents(states.keys(), terms)
        changes = [change for state in states.values() if (change := _judge(state, now_given.get(state.pk)))]
        begin()
        _write(changes, _next_stamp() if changes else 0)
        same = states.keys() - {each.state.pk for each in changes}
        for chunk in chunks(same):
            Provided.objects.filter(pk__in=chunk).update(waiting=False)
    PACE.learn(len(states), time.monotonic() - begun)
    return len(states)


def _waiting() -> dict[int, State]:
    """The next items that wait, locked until the commit, so that who changes one meanwhile marks it after us.

    Others leave ours to us, and we theirs to them.
    """
    rows = Provided.objects.filter(waiting=True).order_by("pk").select_for_update(skip_locked=True)
    columns = ("pk", "deleted", "types", "digest", "stamp")
    return {
        pk: State(pk, deleted, types, bytes(digest), stamp is not None)
        for pk, deleted, types, digest, stamp in rows.values_list(*columns)[: PACE.size(STEP)]
    }


def _judge(state: State, content: Content | None) -> Change | None:
    """What differs; None where nothing does. Decides, writes nothing."""
    if content is None:
        return Change(state, True, state.types, b"") if state.live else None
    digest = _digest(content)
    if state.live and digest == state.digest:
        return None
    return Change(state, False, _types(content.packed), digest)


@lru_cache(maxsize=64)  # a book's item follows that of its oldest record, and mostly says the same
def _types(packed: bytes) -> str:
    return " ".join(types_of(unpack_record(packed)) or (OTHER_TYPE,))


def _digest(content: Content) -> bytes:
    """Of all that is said with a record in any format."""
    digest = blake2b(content.packed, digest_size=12)
    about = (*content.licences, content.identifier, content.datestamp, content.prefix)
    digest.update("\0".join(about).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _next_stamp() -> int:
    last: int | None = Provided.objects.aggregate(last=Max("stamp"))["last"]
    return max(second(), last or 0)


def _write(changes: Collection[Change], stamp: int) -> None:
    rows = [(stamp, False, each.deleted, each.types, each.digest, each.state.pk) for each in changes]
    update(Provided, ("stamp", "waiting", "deleted", "types", "digest"), rows)
    types = [(each.state.pk, name, stamp, False) for each in changes if not each.deleted for name in each.types.split()]
    types += [(each.state.pk, name, stamp, True) for each in changes for name in each.left]
    upsert(ProvidedType, ("item", "type", "stamp", "gone"), types, ("item", "type"), ("stamp", "gone"))


def _new_terms(terms: Mapping[int, Terms]) -> set[int]:
    """Repositories that are given on under other terms than before, are new, or are gone."""
    before = {pk: (give_on, licence) for pk, give_on, licence in ProvidedTerms.objects.values_list()}
    now = {pk: (each.give_on, each.licence) for pk, each in terms.items()}
    return {pk for pk in before.keys() | now.keys() if before.get(pk) != now.get(pk)}


def _mark_new_terms(terms: Mapping[int, Terms]) -> None:
    known = set(ProvidedTerms.objects.values_list("pk", flat=True))
    for pk in _new_terms(terms):
        if pk in known:  # of a new one nothing was stamped so far
            _mark_all_of(pk)
        if pk in terms:
            told = {"give_on": terms[pk].give_on, "licence": terms[pk].licence}
            ProvidedTerms.objects.update_or_create(pk=pk, defaults=told)
        else:
            ProvidedTerms.objects.filter(pk=pk).delete()


def _mark_all_of(origin: int) -> None:
    """All records of a repository wait, and the merged ones that it has a part in."""
    for some in steps(Provided.objects.filter(origin=origin), PACE.size(STEP)):
        members = Member.objects.filter(pk__in=[number_of(each) for each in some])
        writes = Writes()
        mark_merged(set(members.values_list("manifestation", flat=True)), writes)
        with transaction.atomic():
            Provided.objects.filter(pk__in=some).update(waiting=True)
            writes.carry_out()


def _mark_stamps_of_the_future() -> None:
    """What was stamped while the clock was wrong would be in no list for long: it is stamped again."""
    ahead = Provided.objects.filter(stamp__gt=second() + FUTURE)
    if not ahead.exists():
        return
    with stamping() as begin:
        begin()
        now = second()
        ProvidedType.objects.filter(stamp__gt=now + FUTURE).update(stamp=now)
        ahead.update(waiting=True, stamp=now, digest=b"")
