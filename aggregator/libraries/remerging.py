"""Marks books for merging whose holdings or links depend on something that has changed. They are then computed anew, in
batches, by `aggregator.merging.stage`, so that pages and exports can use the stored links.

A change of a library marks its books at once. A change of how links to a provider are made (its link template, home
page or encoding), whoever makes it, is found by comparing it with what was noted when its books were last merged. The
books of a provider are marked a portion at a time, so that a site of a million books stays in use; where the marking
ended is stored. When a release without holdings is upgraded, all books are found in the same way.
"""

from collections.abc import Collection, Mapping
from hashlib import blake2b

from django.utils import timezone

from aggregator.models import Holding, Manifestation, Member, ProviderLinks
from core.database.batches import chunks
from core.database.pacing import Pace
from harvesting.models import Repository, SourceRecord

LINKING = frozenset({"link_template", "page"})  # fields of a library on which the links of its books depend
PORTION = 20_000  # records whose books are marked at a time
PACE = Pace(5000, least=100)  # records or books per transaction
_LINKS = ("link_template", "home_page", "link_encoding")  # fields of a provider on which links to it depend
_VERSION = b"1"  # raise it when holdings are computed otherwise: then all books are merged again


def mark_for_merging(libraries: Collection[int]) -> int:
    """Mark the books that these libraries hold, in the transaction of the change; return how many."""
    moment, marked = timezone.now(), 0
    for chunk in chunks(sorted(libraries)):
        held = Holding.objects.filter(library__in=chunk).values("manifestation")
        marked += Manifestation.objects.filter(pk__in=held).update(merge_since=moment)
    return marked


def mark_in_batches(library: int) -> int:
    """Mark the books that a library holds, for the search index too; return how many. Batches are idempotent, each one
    a short transaction of its own.
    """
    marked, last = 0, 0
    held = Holding.objects.filter(library=library).order_by("manifestation").values_list("manifestation", flat=True)
    while numbers := list(held.filter(manifestation__gt=last)[: PACE.size()]):
        moment = timezone.now()
        with PACE.transaction(len(numbers)):
            for chunk in chunks(numbers):
                books = Manifestation.objects.filter(pk__in=chunk)
                books.update(merge_since=moment, index_pending=True, changed_at=moment)
        marked, last = marked + len(numbers), numbers[-1]
    return marked


def note_new_providers() -> None:
    """Note how links to new providers are made, and forget providers that are gone. Must be called before books of new
    providers are merged for the first time.
    """
    known, digests = set(ProviderLinks.objects.values_list("pk", flat=True)), _digests()
    rows = [ProviderLinks(repository=pk, digest=digest) for pk, digest in digests.items() if pk not in known]
    if rows:
        ProviderLinks.objects.bulk_create(rows, ignore_conflicts=True)
    if gone := known - digests.keys():
        ProviderLinks.objects.filter(pk__in=gone).delete()


def has_outdated() -> bool:
    """Return whether links to a provider are made in another way than when its books were merged."""
    return bool(_outdated(_digests()))


def mark_outdated() -> int:
    """Mark the next portion of one outdated provider's books (`_outdated`). Return how many records were looked at."""
    digests = _digests()
    outdated = _outdated(digests)
    if not outdated:
        return 0
    pk, done = min(outdated.items())
    records = SourceRecord.objects.filter(repository=pk, pk__gt=done).order_by("pk")
    pks = list(records.values_list("pk", flat=True)[:PORTION])
    rest = pks
    while rest:
        batch, rest = rest[: PACE.size()], rest[PACE.size() :]
        with PACE.transaction(len(batch)):
            _mark_books_of(batch)
    state = {"digest": digests[pk], "done": pks[-1] if len(pks) == PORTION else None}
    ProviderLinks.objects.update_or_create(repository=pk, defaults=state)
    return len(pks)


def _mark_books_of(records: Collection[int]) -> None:
    moment = timezone.now()
    for chunk in chunks(records):
        books = Member.objects.filter(pk__in=chunk).values("manifestation")
        # Those that are marked already keep their place in the order.
        Manifestation.objects.filter(pk__in=books, merge_since=None).update(merge_since=moment)


def _digests() -> dict[int, str]:
    """Return how links to every provider are made, as a digest."""
    rows = Repository.objects.order_by().values_list("pk", *_LINKS)
    return {
        pk: blake2b(b"\0".join([_VERSION, *map(str.encode, values)]), digest_size=16).hexdigest()
        for pk, *values in rows
    }


def _outdated(digests: Mapping[int, str]) -> dict[int, int]:
    """Return the providers whose books are to be marked: primary key -> the last record whose book was marked."""
    noted = {pk: (digest, done) for pk, digest, done in ProviderLinks.objects.values_list()}
    return {
        pk: done or 0 if before == digest else 0
        for pk, digest in digests.items()
        if pk in noted
        for before, done in [noted[pk]]
        if before != digest or done is not None
    }
