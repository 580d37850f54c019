"""Stamping: compares pending items with what was redistributed last, and stamps those that differ.

A stamp is a second (UTC, since 1970). Stamps never go backwards: a new one is never lower than the last one given. It
is given in the transaction in which the change becomes visible; `stamps.barrier` keeps lists from missing a stamp that
is being given. An item that is no longer redistributed is kept, stamped as deleted. Steps are bounded and idempotent;
an item that changes during a step is marked as pending again.
"""

import time
from collections.abc import Collection, Generator, Iterator, Mapping
from hashlib import blake2b
from itertools import chain

import msgspec
from django.db import transaction
from django.db.models import Max
from msgspec import structs

from aggregator.catalogue.identity import Site, site
from aggregator.models import ListCounting, Member, Provided, ProvidedCopy, ProvidedTerms, ProvidedType
from aggregator.provision.contents import Content, Terms, all_terms, book_contents, record_contents, sources_of
from aggregator.provision.copies import CopyChange, changed_copies, write_changes
from aggregator.provision.pending import is_merged, mark_merged, number_of
from aggregator.provision.restamping import FORM, mark_outdated
from aggregator.provision.sets import names_of
from aggregator.provision.stamps import list_sizes
from aggregator.provision.stamps.barrier import current_second, stamping
from core.database.batches import chunks, select_in, update, upsert
from core.database.deferred_writes import Writes
from core.database.keyset import pk_batches
from core.database.pacing import Pace

STEP = 1000  # items per transaction, at most
PACE = Pace(STEP)
FUTURE = 3600  # seconds; stamps further ahead of the clock were given by a wrong clock and are replaced


class State(msgspec.Struct, frozen=True, gc=False):
    """The state in which an item was last redistributed."""

    pk: int
    origin: int
    deleted: bool
    types: str
    digest: bytes
    known: bool  # it has been redistributed at some time

    @property
    def live(self) -> bool:
        return self.known and not self.deleted


class Change(msgspec.Struct, frozen=True, gc=False):
    """A difference to the last state. types: those of the item; for a deleted item the last ones."""

    state: State
    deleted: bool
    types: str
    digest: bytes

    @property
    def lost_types(self) -> list[str]:
        """The types that the item no longer has."""
        current = () if self.deleted else self.types.split()
        return [name for name in self.state.types.split() if name not in current]


def stamp_pending() -> Generator[int]:
    """Stamp all pending items, and after an update a portion of the others (`restamping`), step by step. Yield the
    number of items compared in every step.
    """
    terms = all_terms()
    _mark_new_terms(terms)
    _mark_stamps_of_the_future()
    mark_outdated()
    while done := _step(terms):
        yield done
    for _portion in list_sizes.count_missing():
        yield 0


def has_pending() -> bool:
    """Return whether `stamp_pending` has work, including changed terms of providers and items to be counted."""
    waits = Provided.objects.filter(waiting=True).exists()
    return waits or bool(_new_terms(all_terms())) or list_sizes.has_missing()


def stamp_everything() -> int:
    """Stamp every item again, so that incremental harvesters get all of them, deleted ones as deleted.

    For a restored site, before other processes work on it. Return the number of items.
    """
    with stamping() as lock:
        lock()
        stamp = _next_stamp()
        ProvidedType.objects.update(stamp=stamp)
        ProvidedCopy.objects.update(stamp=stamp)
        return Provided.objects.exclude(stamp=None).update(stamp=stamp)


def _step(terms: Mapping[int, Terms]) -> int:
    with stamping() as lock:
        started = time.monotonic()
        states = _next_pending()
        if not states:
            return 0
        sources = sources_of([number_of(item) for item in states if is_merged(item)], terms)
        records = record_contents([number_of(item) for item in states if not is_merged(item)], terms)
        contents_now, here = dict(chain(records, book_contents(sources))), site()
        changes = [change for state in states.values() if (change := _compare(state, contents_now.get(state.pk), here))]
        copies = changed_copies(sources, contents_now)
        lock()
        if changes or copies:
            last, stamp = list_sizes.last_stamp(), _next_stamp()
            list_sizes.add(_new_entries(changes, copies), last, stamp)
            _write(changes, stamp)
            write_changes(copies, stamp)
        unchanged = states.keys() - {change.state.pk for change in changes}
        for chunk in chunks(unchanged):
            Provided.objects.filter(pk__in=chunk).update(waiting=False)
    PACE.learn(len(states), time.monotonic() - started)
    return len(states)


def _next_pending() -> dict[int, State]:
    """Return the next pending items, locked until the commit, so that a concurrent change marks them again afterwards.

    Rows locked by another process are skipped (SKIP LOCKED).
    """
    rows = Provided.objects.filter(waiting=True).order_by("pk").select_for_update(skip_locked=True)
    columns = ("pk", "origin", "deleted", "types", "digest", "stamp")
    return {
        pk: State(pk, origin, deleted, types, bytes(digest), stamp is not None)
        for pk, origin, deleted, types, digest, stamp in rows.values_list(*columns)[: PACE.size(STEP)]
    }


def _compare(state: State, content: Content | None, here: Site) -> Change | None:
    """Return the difference, or None. Writes nothing."""
    if content is None:
        return Change(state, True, state.types, b"") if state.live else None
    digest = _digest(content, here)
    if state.live and digest == state.digest:
        return None
    names = names_of(content.packed, is_source=not is_merged(state.pk))
    return Change(state, False, " ".join(names), digest)


def _digest(content: Content, here: Site) -> bytes:
    """Return a digest of everything that any format contains of a record, and of the form in which it is written."""
    digest = blake2b(content.digest(here) + bytes([FORM]), digest_size=12)
    origins = (field for origin in content.origins for field in (*structs.astuple(origin)[:-1], str(origin.altered)))
    parts = (*content.licences, content.identifier, content.datestamp, content.prefix, *origins)
    digest.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _next_stamp() -> int:
    last = [table.objects.aggregate(last=Max("stamp"))["last"] or 0 for table in (Provided, ProvidedCopy)]
    return max(current_second(), *last)


def _new_entries(changes: Collection[Change], copies: Collection[CopyChange]) -> Iterator[tuple[str, int]]:
    """Yield the entries that lists get by these changes: name of the list and item."""
    gained = {
        change.state.pk: set(change.types.split()) - set(change.state.types.split())
        for change in changes
        if not change.deleted
    }
    again = [change.state.pk for change in changes if change.state.known and gained.get(change.state.pk)]
    had = set(select_in(ProvidedType, ("item", "type"), "item", again))
    yield from (
        (list_sizes.of_origin(change.state.origin), change.state.pk) for change in changes if not change.state.known
    )
    for pk, names in gained.items():
        yield from ((list_sizes.of_type(name), pk) for name in names if (pk, name) not in had)
    yield from ((list_sizes.ALL_COPIES, copy.item) for copy in copies if copy.is_new)


def _write(changes: Collection[Change], stamp: int) -> None:
    rows = [(stamp, False, change.deleted, change.types, change.digest, change.state.pk) for change in changes]
    update(Provided, ("stamp", "waiting", "deleted", "types", "digest"), rows)
    types = [
        (change.state.pk, name, stamp, False)
        for change in changes
        if not change.deleted
        for name in change.types.split()
    ]
    types += [(change.state.pk, name, stamp, True) for change in changes for name in change.lost_types]
    upsert(ProvidedType, ("item", "type", "stamp", "gone"), types, ("item", "type"), ("stamp", "gone"))


def _new_terms(terms: Mapping[int, Terms]) -> set[int]:
    """Return the providers whose terms have changed, that are new, or that are gone."""
    rows = ProvidedTerms.objects.values_list("pk", "give_on", "licence")
    before = {pk: (give_on, licence) for pk, give_on, licence in rows}
    now = {pk: (provider.give_on, provider.licence) for pk, provider in terms.items()}
    return {pk for pk in before.keys() | now.keys() if before.get(pk) != now.get(pk)}


def _mark_new_terms(terms: Mapping[int, Terms]) -> None:
    known = set(ProvidedTerms.objects.values_list("pk", flat=True))
    for pk in _new_terms(terms):
        if pk in known:  # nothing of a new provider has been stamped so far
            _mark_all_of(pk)
        if pk in terms:
            values = {"give_on": terms[pk].give_on, "licence": terms[pk].licence, "form": FORM, "done": 0}
            ProvidedTerms.objects.update_or_create(pk=pk, defaults=values)
        else:
            ProvidedTerms.objects.filter(pk=pk).delete()


def _mark_all_of(origin: int) -> None:
    """Mark all records of a provider as pending, and the merged records that contain them."""
    for batch in pk_batches(Provided.objects.filter(origin=origin), PACE.size(STEP)):
        members = Member.objects.filter(pk__in=[number_of(item) for item in batch])
        writes = Writes()
        mark_merged(set(members.values_list("manifestation", flat=True)), writes)
        with transaction.atomic():
            Provided.objects.filter(pk__in=batch).update(waiting=True)
            writes.carry_out()


def _mark_stamps_of_the_future() -> None:
    """Replace stamps that a wrong clock has given: no list would contain them until that time."""
    too_late = Provided.objects.filter(stamp__gt=current_second() + FUTURE)
    if not too_late.exists():
        return
    with stamping() as lock:
        lock()
        now = current_second()
        ProvidedType.objects.filter(stamp__gt=now + FUTURE).update(stamp=now)
        ProvidedCopy.objects.filter(stamp__gt=now + FUTURE).update(stamp=now)
        ListCounting.objects.filter(stamp__gt=now + FUTURE).update(stamp=now)
        too_late.update(waiting=True, stamp=now, digest=b"")
