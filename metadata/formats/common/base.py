"""The parts that every crosswalk is made of: tables of element → (record field, reader), and the draft of a record.

Independent of the single formats.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
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


# Record field → the other fields for its values; a value goes to the first whose rule holds, or stays.
Places = dict[str, tuple[Place, ...]]

# The default object itself, not an equal one: msgspec omits a default from the stored record by identity.
NO_HOST = BibliographicRecord().host


class Conversion(NamedTuple):
    """A record as far as it could be read, with the issues that can be seen only in its XML, not in the record."""

    record: BibliographicRecord
    issues: list[Issue]


class Draft:
    """The values gathered from one description so far, by record field, and the issues found.

    A crosswalk works in three steps: `collect` reads the elements one by one; functions named settle_… decide what
    depends on more than one element, or on the whole record; `convert` builds the record.
    """

    __slots__ = ("empty", "fields", "issues", "skipped")

    def __init__(self) -> None:
        self.fields: defaultdict[str, list[Any]] = defaultdict(list)
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

    def distribute(self, places: Places) -> None:
        """Move values to the other fields where they belong by the rules of a table."""
        for name, others in places.items():
            for value in self.fields.pop(name, ()):
                place = next((place.field for place in others if place.rule(value)), name)
                self.fields[place].append(value)

    def note(self, code: str, field: str = "", value: str = "", result: str = "") -> None:
        self.issues.append(Issue(code=code, field=field, value=value, result=result))

    def pop_first(self, name: str) -> str:
        """Remove a field that the record holds only once and return its first value, or "" if there is none."""
        values: list[str] | None = self.fields.pop(name, None)
        return values[0] if values else ""

    def convert(self, **single: Any) -> Conversion:
        """Build the record from all gathered values. `single` holds the fields that are not lists."""
        if self.empty:
            self.note("chars.N011", shorten(self.empty[0]), str(len(self.empty)))
        for name, values in self.fields.items():
            if values:
                single[name] = tuple(values)
        return Conversion(BibliographicRecord(**single), self.issues)


def table(rows: dict[str, tuple[str, Reader] | None]) -> Table:
    """Return the rows with lxml's {namespace}name in place of names with the usual prefixes ("dc:title")."""
    return {expand(name): entry for name, entry in rows.items()}


def unique(values: Iterable[str]) -> Iterator[str]:
    """The values in their order, without repetition."""
    return iter(dict.fromkeys(values))
