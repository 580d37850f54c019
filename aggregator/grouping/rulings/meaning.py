"""What staff's rulings mean for matching, and which of them contradict each other. No database access.

A ruling names public ids, whether or not their records exist now. "The same" is transitive: from a–b and b–c follows
a–c, even while b is deleted.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise

from msgspec import structs

from aggregator.matching import Features, RuledPair
from metadata.record import BibliographicRecord

# as MatchRuling.Verdict
SAME, NOT_SAME, LOCK, FREEZE, IGNORE, PRINTINGS = "same", "not_same", "lock", "freeze", "ignore", "printings"
NO_IDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """One row of MatchRuling. pk: 0 for a ruling that is not saved.

    SAME and NOT_SAME use first and second (public ids), FREEZE only first, LOCK only records. IGNORE uses isbn, and in
    first where it does not count: a public id, a repository number, or "" for everywhere. PRINTINGS uses only first,
    the number of a repository whose dates are those of printings. with_copies: those of first and second that stand for
    their description: the ruling concerns every record that is described in the same way. by_pattern: it was made for
    all pairs of a pattern, and a ruling on a single pair takes its place.
    """

    verdict: str
    first: str = ""
    second: str = ""
    records: tuple[str, ...] = ()
    isbn: str = ""
    with_copies: tuple[str, ...] = ()
    by_pattern: bool = False
    pk: int = 0

    @property
    def together(self) -> tuple[tuple[str, str], ...]:
        """The pairs that the ruling declares to be the same."""
        if self.verdict == SAME:
            return ((self.first, self.second),)
        return tuple(pairwise(self.records)) if self.verdict == LOCK else ()

    @property
    def names(self) -> tuple[str, ...]:
        """The public ids that the ruling names; none for an ISBN ignored everywhere or for one provider."""
        return tuple(name for name in (self.first, self.second, *self.records) if "-" in name)

    def renamed(self, names: Mapping[str, str]) -> "Ruling":
        """The same ruling about other records. names: public id -> the one to put in its place."""
        first, second = (names.get(name, name) for name in (self.first, self.second))
        return replace(self, first=first, second=second)


@dataclass(frozen=True)
class Rulings:
    """All rulings in force. former: records of rulings on descriptions that were undone."""

    active: tuple[Ruling, ...] = ()
    former: frozenset[str] = NO_IDS

    @cached_property
    def isolated(self) -> frozenset[str]:
        """Records that may not be grouped with others by evidence: frozen ones and those of locked groups."""
        frozen = {ruling.first for ruling in self.active if ruling.verdict == FREEZE}
        return frozenset(frozen.union(*(ruling.records for ruling in self.active if ruling.verdict == LOCK)))

    @cached_property
    def classes(self) -> dict[str, frozenset[str]]:
        """Record -> all records that staff have ruled to be the same, including itself."""
        result: dict[str, frozenset[str]] = {}
        links = self.links()
        for start in links:
            if start not in result:
                whole = frozenset(_reached(links, start))
                result.update(dict.fromkeys(whole, whole))
        return result

    @cached_property
    def apart(self) -> dict[str, set[str]]:
        """Record -> those it must not be grouped with: by a ruling about the two, or about records that staff ruled to
        be the same as one of them.
        """
        result: defaultdict[str, set[str]] = defaultdict(set)
        for ruling in self.active:
            if ruling.verdict == NOT_SAME:
                one, other = self.class_of(ruling.first), self.class_of(ruling.second)
                for own, excluded in ((one, other), (other, one)):
                    for name in own:
                        result[name] |= excluded
        return dict(result)

    @cached_property
    def ignored(self) -> dict[str, frozenset[str]]:
        """ISBN -> where it does not count: public ids, repository numbers, "" for everywhere."""
        result: defaultdict[str, set[str]] = defaultdict(set)
        for ruling in self.active:
            if ruling.verdict == IGNORE:
                result[ruling.isbn].add(ruling.first)
        return {isbn: frozenset(scopes) for isbn, scopes in result.items()}

    @cached_property
    def printings(self) -> frozenset[str]:
        """The numbers of the repositories whose dates are those of printings."""
        return frozenset(ruling.first for ruling in self.active if ruling.verdict == PRINTINGS)

    @cached_property
    def names(self) -> frozenset[str]:
        """All public ids that some ruling names."""
        return frozenset(name for ruling in self.active for name in ruling.names)

    @cached_property
    def exact(self) -> frozenset[str]:
        """The records that some ruling names for themselves alone, not for all records with the same description."""
        return frozenset(name for ruling in self.active for name in ruling.names if name not in ruling.with_copies)

    def renamed(self, names: Mapping[str, str]) -> "Rulings":
        """The same rulings about other records. names: public id -> the one to put in its place."""
        return Rulings(tuple(ruling.renamed(names) for ruling in self.active), self.former)

    def of_persons(self) -> "Rulings":
        """Those that were made for single pairs, records or groups, not for a pattern."""
        return Rulings(tuple(ruling for ruling in self.active if not ruling.by_pattern), self.former)

    def class_of(self, name: str) -> frozenset[str]:
        return self.classes.get(name, frozenset((name,)))

    def links(self) -> dict[str, dict[str, Ruling]]:
        """Record -> record that a ruling declares to be the same -> that ruling."""
        links: defaultdict[str, dict[str, Ruling]] = defaultdict(dict)
        for ruling in self.active:
            for first, second in ruling.together:
                links[first].setdefault(second, ruling)
                links[second].setdefault(first, ruling)
        return dict(links)

    def ruled_pairs(self, names: Collection[str]) -> Iterator[RuledPair]:
        """The pairs of these records that the rulings declare the same or different.

        Records that are the same (see `classes`) are linked in a chain of those in `names`, so that an absent record
        does not break it.
        """
        present = set(names)
        for whole in {self.classes[name] for name in present if name in self.classes}:
            for first, second in pairwise(sorted(whole & present)):
                yield RuledPair(first=first, second=second, same=True)
        for name in present & self.apart.keys():
            for other in self.apart[name] & present:
                if name < other:
                    yield RuledPair(first=name, second=other, same=False)

    def effective(self, name: str, features: Features) -> tuple[Features, frozenset[str]]:
        """Return the features of a record as staff's rulings have them: without its ignored ISBNs, its date as that of
        a printing; and the ignored ISBNs.
        """
        if self.printings and features.year and name.partition("-")[0] in self.printings:
            features = structs.replace(features, reprinted=True)
        if not self.ignored:
            return features, NO_IDS
        scopes = {"", name, name.partition("-")[0]}
        ignored = frozenset(
            isbn
            for isbn in (*features.isbns, *features.set_isbns)
            if not scopes.isdisjoint(self.ignored.get(isbn, NO_IDS))
        )
        if not ignored:
            return features, NO_IDS
        isbns = tuple(isbn for isbn in features.isbns if isbn not in ignored)
        set_isbns = tuple(isbn for isbn in features.set_isbns if isbn not in ignored)
        return structs.replace(features, isbns=isbns, set_isbns=set_isbns), ignored

    def contradiction(self, new: Ruling) -> tuple[Ruling, ...]:
        """The rulings in force that the new one contradicts or repeats, as a chain; () where nothing speaks against
        it.
        """
        return _CONTRADICTIONS[new.verdict](self, new)

    def path(self, start: str, end: str) -> tuple[Ruling, ...]:
        """The rulings by which one record is the same as another, by the shortest chain; () if there are none."""
        links = self.links()
        return tuple(_path(links, start, end))


def _reached(links: Mapping[str, Collection[str]], start: str) -> set[str]:
    reached, queue = {start}, deque([start])
    while queue:
        unseen = set(links[queue.popleft()]) - reached
        reached |= unseen
        queue.extend(unseen)
    return reached


def _path(links: Mapping[str, Mapping[str, Ruling]], start: str, end: str) -> list[Ruling]:
    came_from: dict[str, tuple[str, Ruling]] = {}
    queue = deque([start])
    while queue and end not in came_from:
        record = queue.popleft()
        for neighbour, ruling in sorted(links.get(record, {}).items(), key=lambda item: item[0]):
            if neighbour != start and neighbour not in came_from:
                came_from[neighbour] = record, ruling
                queue.append(neighbour)
    chain: list[Ruling] = []
    while end in came_from:
        end, ruling = came_from[end]
        chain.append(ruling)
    return list(dict.fromkeys(reversed(chain)))


def _against_same(rulings: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    one, other = rulings.class_of(new.first), rulings.class_of(new.second)
    return (
        _declared_different(rulings, new.first, new.second, one, other)
        or _frozen(rulings, (new.first, new.second))
        or _locked_out(rulings, new.first, new.second)
        or _equal(rulings, new)
    )


def _declared_different(
    rulings: Rulings, first: str, second: str, one: frozenset[str], other: frozenset[str]
) -> tuple[Ruling, ...]:
    for ruling in rulings.active:
        if ruling.verdict != NOT_SAME:
            continue
        for left, right in ((ruling.first, ruling.second), (ruling.second, ruling.first)):
            if left in one and right in other:
                return (*rulings.path(first, left), ruling, *rulings.path(right, second))
    return ()


def _frozen(rulings: Rulings, names: Iterable[str]) -> tuple[Ruling, ...]:
    about = set(names)
    return tuple(ruling for ruling in rulings.active if ruling.verdict == FREEZE and ruling.first in about)


def _locked_out(rulings: Rulings, first: str, second: str) -> tuple[Ruling, ...]:
    """Locks whose group includes one of the two records but not the other."""
    return tuple(
        ruling
        for ruling in rulings.active
        if ruling.verdict == LOCK and (first in ruling.records) != (second in ruling.records)
    )


def _against_not_same(rulings: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    return rulings.path(new.first, new.second) or _equal(rulings, new)


def _against_lock(rulings: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    inside = set(new.records)
    for ruling in rulings.active:
        if ruling.verdict == LOCK and inside.intersection(ruling.records):
            return (ruling,)
        if ruling.verdict == SAME and (ruling.first in inside) != (ruling.second in inside):
            return (ruling,)
    for first, second in combinations(sorted(inside), 2):
        chain = _declared_different(rulings, first, second, rulings.class_of(first), rulings.class_of(second))
        if chain:
            return chain
    return _frozen(rulings, inside)


def _against_freeze(rulings: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    holding = [ruling for ruling in rulings.active if any(new.first in pair for pair in ruling.together)]
    return tuple(holding) or _equal(rulings, new)


def _equal(rulings: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    """The same ruling, if it is already in force."""
    return tuple(ruling for ruling in rulings.active if _says_the_same(ruling, new))


def _says_the_same(one: Ruling, other: Ruling) -> bool:
    return (one.verdict, one.first, one.second, one.isbn) == (other.verdict, other.first, other.second, other.isbn)


_CONTRADICTIONS = {
    SAME: _against_same,
    NOT_SAME: _against_not_same,
    LOCK: _against_lock,
    FREEZE: _against_freeze,
    IGNORE: _equal,
    PRINTINGS: _equal,
}


def evidence_snapshot(record: BibliographicRecord) -> dict[str, object]:
    """The data that staff judged a record by; when it changes, the ruling should be checked again."""
    isbns = [identifier.value for identifier in record.identifiers if identifier.scheme in ("ISBN", "SetISBN")]
    return {"title": record.title, "volume": record.volume, "isbns": sorted(set(isbns))}
