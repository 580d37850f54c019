"""The parts that every crosswalk is made of: tables of element → (record field, reader), and the draft of a record.

Independent of the single formats.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import expand, shorten
from metadata.xml.parsing import children

# A reader makes one value from one element. A false value ("" or None) means that the element is empty.
Reader = Callable[[etree._Element], Any]
# Element name → record field and reader. None: the element is known, but fills no field of the record by itself.
Table = dict[str, tuple[str, Reader] | None]


class Place(NamedTuple):
    """Another field for values of an element. rule: for which values; words: the rule in words, for cataloguers."""

    field: str
    rule: Callable[[Any], object]
    words: str


# The default object itself, not an equal one: msgspec omits a default from the stored record by identity.
NO_HOST = BibliographicRecord().host


class Conversion(NamedTuple):
    """A record as far as it could be read, with the issues that can be seen only in its XML, not in the record."""

    record: BibliographicRecord
    issues: list[Issue]


class Draft:
    """The values gathered from one description so far, by record field, and the issues found.

    A crosswalk works by two tables: `collect` reads the elements one by one; `settle` decides, step by step, what
    depends on the form of a value, on several elements or on the whole record. Then `convert` builds the record.
    """

    __slots__ = ("empty", "fields", "issues", "single", "skipped")

    def __init__(self) -> None:
        self.fields: defaultdict[str, list[Any]] = defaultdict(list)
        self.single: dict[str, Any] = {}  # the fields that are not lists
        self.issues: list[Issue] = []
        self.empty: list[str] = []
        self.skipped: list[etree._Element] = []  # elements without a reader in the table

    def collect(self, node: etree._Element, table: Table) -> None:
        """Read the children of a node into `fields`. Written for speed: this is the inner loop of a harvest."""
        fields, entry_of = self.fields, table.get
        for child in children(node):
            entry = entry_of(child.tag)
            if entry is not None:
                name, reader = entry
                value = reader(child)
                if not value:
                    self.empty.append(child.tag)
                elif name in fields:
                    fields[name].append(value)
                else:
                    fields[name] = [value]
            else:
                self.skipped.append(child)

    def settle(self, steps: Sequence["Step"]) -> None:
        """Take the steps of a table in their order."""
        for step in steps:
            step.settle(self)

    def note(self, code: str, field: str = "", value: str = "", result: str = "") -> None:
        self.issues.append(Issue(code=code, field=field, value=value, result=result))

    def pop_first(self, name: str) -> str:
        """Remove a field that the record holds only once and return its first value, or "" if there is none."""
        values: list[str] | None = self.fields.pop(name, None)
        return values[0] if values else ""

    def convert(self, **single: Any) -> Conversion:
        """Build the record from all gathered values. `single` holds further fields that are not lists."""
        if self.empty:
            self.note("chars.N011", shorten(self.empty[0]), str(len(self.empty)))
        single |= self.single
        for name, values in self.fields.items():
            if values:
                single[name] = tuple(values)
        return Conversion(BibliographicRecord(**single), self.issues)


class Step(NamedTuple):
    """What is decided after all elements are read, and what cataloguers read about it.

    sources: the fields whose values it takes; targets: where they may go, and fields that it corrects, both with blanks
    between; words: the rule, as text for cataloguers.
    """

    sources: str
    targets: str
    words: str
    settle: Callable[[Draft], None]


class Row[Source, Target](NamedTuple):
    """What becomes of parts that are no elements with names of their own, or that become elements of another format.

    sources: the parts; targets: the fields or elements that they may become, both with blanks between; words: the rule,
    as text for cataloguers.
    """

    sources: str
    targets: str
    words: str
    read: Callable[[Source, Target], None]


def sorting(name: str, *places: Place) -> Step:
    """Return the step that moves each value of a field to the first of the places whose rule holds for it."""

    def settle(draft: Draft) -> None:
        for value in draft.fields.pop(name, ()):
            draft.fields[next((place.field for place in places if place.rule(value)), name)].append(value)

    words = ", ".join(f"`{place.field}` if {place.words}" for place in places)
    return Step(name, " ".join([*(place.field for place in places), name]), f"{words}, else `{name}`", settle)


def keeping_first(name: str) -> Step:
    """Return the step for a field that the record holds only once."""

    def settle(draft: Draft) -> None:
        draft.single[name] = draft.pop_first(name)

    return Step(name, name, "the first value", settle)


def table(rows: dict[str, tuple[str, Reader] | None]) -> Table:
    """Return the rows with lxml's {namespace}name in place of names with the usual prefixes ("dc:title")."""
    return {expand(name): entry for name, entry in rows.items()}


def unique(values: Iterable[str]) -> Iterator[str]:
    """The values in their order, without repetition."""
    return iter(dict.fromkeys(values))
