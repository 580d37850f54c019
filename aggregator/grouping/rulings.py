"""What staff's rulings mean for matching, and which of them contradict each other. Pure: no database.

A ruling speaks of public ids, whether or not their records exist now. What staff call the same is the same through
others, too: a–b and b–c hold a and c together even while b is deleted.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

from msgspec import structs

from aggregator.matching import Features, RuledPair
from metadata.record import BibliographicRecord

SAME, NOT_SAME, LOCK, FREEZE, IGNORE = "same", "not_same", "lock", "freeze", "ignore"  # MatchDecision.Verdict
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """One row of MatchDecision. pk: 0 for one that is not saved."""

    verdict: str
    first: str = ""
    second: str = ""
    records: tuple[str, ...] = ()
    isbn: str = ""
    pk: int = 0

    @property
    def together(self) -> tuple[tuple[str, str], ...]:
        """The pairs that it holds together."""
        if self.verdict == SAME:
            return ((self.first, self.second),)
        return tuple(pairwise(self.records)) if self.verdict == LOCK else ()

    @property
    def names(self) -> tuple[str, ...]:
        """The public ids that it speaks of; to ignore an ISBN everywhere or of a repository speaks of none."""
        return tuple(each for each in (self.first, self.second, *self.records) if "-" in each)


@dataclass(frozen=True)
class Rulings:
    """All that are in force."""

    each: tuple[Ruling, ...] = ()

    @cached_property
    def alone(self) -> frozenset[str]:
        """Records that no evidence joins to anything: frozen, or of a locked group."""
        frozen = {each.first for each in self.each if each.verdict == FREEZE}
        return frozenset(frozen.union(*(each.records for each in self.each if each.verdict == LOCK)))

    @cached_property
    def classes(self) -> dict[str, frozenset[str]]:
        """Record -> all that staff hold together with it, itself among them."""
        found: dict[str, frozenset[str]] = {}
        links = self.links()
        for start in links:
            if start not in found:
                whole = frozenset(_reached(links, start))
                found.update(dict.fromkeys(whole, whole))
        return found

    @cached_property
    def apart(self) -> dict[str, set[str]]:
        """Record -> those that it must not stand with, through what is the same, too."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for each in self.each:
            if each.verdict == NOT_SAME:
                one, other = self.class_of(each.first), self.class_of(each.second)
                for left, right in ((one, other), (other, one)):
                    for name in left:
                        found[name] |= right
        return dict(found)

    @cached_property
    def ignored(self) -> dict[str, frozenset[str]]:
        """ISBN -> where it does not count: public ids, repository numbers, "" for everywhere."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for each in self.each:
            if each.verdict == IGNORE:
                found[each.isbn].add(each.first)
        return {isbn: frozenset(scopes) for isbn, scopes in found.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """All public ids that are ruled about."""
        return frozenset(name for each in self.each for name in each.names)

    def class_of(self, name: str) -> frozenset[str]:
        return self.classes.get(name, frozenset((name,)))

    def links(self) -> dict[str, dict[str, Ruling]]:
        """Record -> record that it is directly held together with -> by which ruling."""
        links: defaultdict[str, dict[str, Ruling]] = defaultdict(dict)
        for each in self.each:
            for first, second in each.together:
                links[first].setdefault(second, each)
                links[second].setdefault(first, each)
        return dict(links)

    def decisions(self, names: Collection[str]) -> Iterator[RuledPair]:
        """What the rulings say of these records: each class as a chain, so that nobody's absence breaks it."""
        present = set(names)
        for whole in {self.classes[name] for name in present if name in self.classes}:
            for first, second in pairwise(sorted(whole & present)):
                yield RuledPair(first=first, second=second, same=True)
        for name in present & self.apart.keys():
            for other in self.apart[name] & present:
                if name < other:
                    yield RuledPair(first=name, second=other, same=False)

    def effective(self, name: str, row: Features) -> tuple[Features, frozenset[str]]:
        """The features that count of a record, and the ISBNs that do not."""
        if not self.ignored:
            return row, NOBODY
        places = {"", name, name.partition("-")[0]}
        left_out = frozenset(
            isbn for isbn in (*row.isbns, *row.set_isbns) if not places.isdisjoint(self.ignored.get(isbn, NOBODY))
        )
        if not left_out:
            return row, NOBODY
        isbns = tuple(each for each in row.isbns if each not in left_out)
        set_isbns = tuple(each for each in row.set_isbns if each not in left_out)
        return structs.replace(row, isbns=isbns, set_isbns=set_isbns), left_out

    def contradiction(self, new: Ruling) -> tuple[Ruling, ...]:
        """The rulings in force that the new one contradicts, as a chain; () when it fits."""
        return _CONTRADICTIONS[new.verdict](self, new)

    def path(self, start: str, end: str) -> tuple[Ruling, ...]:
        """The rulings by which one record is held together with another, shortest first; () if it is not."""
        links = self.links()
        return tuple(_path(links, start, end))


def _reached(links: Mapping[str, Collection[str]], start: str) -> set[str]:
    reached, waiting = {start}, deque([start])
    while waiting:
        fresh = set(links[waiting.popleft()]) - reached
        reached |= fresh
        waiting.extend(fresh)
    return reached


def _path(links: Mapping[str, Mapping[str, Ruling]], start: str, end: str) -> list[Ruling]:
    came: dict[str, tuple[str, Ruling]] = {}
    waiting = deque([start])
    while waiting and end not in came:
        here = waiting.popleft()
        for there, ruling in sorted(links.get(here, {}).items(), key=lambda item: item[0]):
            if there != start and there not in came:
                came[there] = here, ruling
                waiting.append(there)
    found: list[Ruling] = []
    while end in came:
        end, ruling = came[end]
        found.append(ruling)
    return list(dict.fromkeys(reversed(found)))


def _against_same(force: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    one, other = force.class_of(new.first), force.class_of(new.second)
    return (
        _kept_apart(force, new.first, new.second, one, other)
        or _frozen(force, (new.first, new.second))
        or _locked_out(force, new.first, new.second)
        or _equal(force, new)
    )


def _kept_apart(
    force: Rulings, first: str, second: str, one: frozenset[str], other: frozenset[str]
) -> tuple[Ruling, ...]:
    for each in force.each:
        if each.verdict != NOT_SAME:
            continue
        for left, right in ((each.first, each.second), (each.second, each.first)):
            if left in one and right in other:
                return (*force.path(first, left), each, *force.path(right, second))
    return ()


def _frozen(force: Rulings, names: Iterable[str]) -> tuple[Ruling, ...]:
    about = set(names)
    return tuple(each for each in force.each if each.verdict == FREEZE and each.first in about)


def _locked_out(force: Rulings, first: str, second: str) -> tuple[Ruling, ...]:
    """A lock that holds one of the two (perhaps through others) without the other."""
    return tuple(
        each for each in force.each if each.verdict == LOCK and (first in each.records) != (second in each.records)
    )


def _against_not_same(force: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    return force.path(new.first, new.second) or _equal(force, new)


def _against_lock(force: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    inside = set(new.records)
    for each in force.each:
        if each.verdict == LOCK and inside.intersection(each.records):
            return (each,)
        if each.verdict == SAME and (each.first in inside) != (each.second in inside):
            return (each,)
    for first, second in combinations(sorted(inside), 2):
        chain = _kept_apart(force, first, second, force.class_of(first), force.class_of(second))
        if chain:
            return chain
    return _frozen(force, inside)


def _against_freeze(force: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    held = [each for each in force.each if any(new.first in pair for pair in each.together)]
    return tuple(held) or _equal(force, new)


def _equal(force: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    """The same ruling, in force already."""
    return tuple(each for each in force.each if _says_the_same(each, new))


def _says_the_same(one: Ruling, other: Ruling) -> bool:
    return (one.verdict, one.first, one.second, one.isbn) == (other.verdict, other.first, other.second, other.isbn)


_CONTRADICTIONS = {
    SAME: _against_same,
    NOT_SAME: _against_not_same,
    LOCK: _against_lock,
    FREEZE: _against_freeze,
    IGNORE: _equal,
}


def evidence(record: BibliographicRecord) -> dict[str, object]:
    """What a record was judged by when staff ruled: a change of it calls for another look."""
    isbns = [each.value for each in record.identifiers if each.scheme in ("ISBN", "SetISBN")]
    return {"title": record.title, "volume": record.volume, "isbns": sorted(set(isbns))}
