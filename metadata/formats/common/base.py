"""What every crosswalk is made of: tables of element → (record field, reader), and a draft. Knows no format."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lxml import etree

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import expand, shorten
from metadata.xml.parsing import children

# A reader makes one value of one element; a false value ("" or None) means that the element says nothing.
Reader = Callable[[etree._Element], Any]
# Element name → record field and reader. None: known, and holds no value of its own.
Table = dict[str, tuple[str, Reader] | None]

# The default itself, not one like it: msgspec leaves a default out of the stored record by identity.
NO_HOST = BibliographicRecord().host


class Conversion(NamedTuple):
    """A record as far as it could be read, and what only the source could tell about it."""

    record: BibliographicRecord
    issues: list[Issue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosswalk:
    """One format in both directions.

    roots: the elements that a payload of this format begins with. readers: for each element that describes
    something, the table of its children. namespace, schema: as ListMetadataFormats names them.
    """

    prefix: str
    namespace: str
    schema: str
    roots: frozenset[str]
    readers: dict[str, Table]
    read: Callable[[etree._Element], Conversion]
    write: Callable[[BibliographicRecord], bytes]
    elements: dict[str, str]  # record field → element, for messages; what the tables do not say already
    read_all: Callable[[Sequence[etree._Element]], list[Conversion]] | None = None  # where many together take less time
    left_over: Callable[[etree._Element], list[str]] | None = None  # where attributes tell the elements apart

    def __post_init__(self) -> None:
        for table in self.readers.values():
            for tag, entry in table.items():
                if entry is not None:
                    self.elements.setdefault(entry[0], shorten(tag))

    def conversions(self, roots: Sequence[etree._Element]) -> list[Conversion]:
        """What `read` gives for each of them."""
        return self.read_all(roots) if self.read_all is not None else [self.read(each) for each in roots]

    def unmapped(self, root: etree._Element) -> list[str]:
        """Elements of a payload that no reader takes, as parent/child, each once."""
        if self.left_over is not None:
            return self.left_over(root)
        found = (
            f"{shorten(parent.tag)}/{shorten(child.tag)}"
            for parent in root.iter(*self.readers)
            for child in parent
            if child.tag not in self.readers[parent.tag]
        )
        return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """One format that records are given out in. ending: of a file's name and of an address, without its first dot."""

    name: str
    media_type: str
    ending: str
    write: Callable[[BibliographicRecord], bytes]


class Draft:
    """What one description has given so far: values by record field, and issues."""

    __slots__ = ("empty", "fields", "issues", "skipped")

    def __init__(self) -> None:
        self.fields: defaultdict[str, list[Any]] = defaultdict(list)
        self.issues: list[Issue] = []
        self.empty: list[str] = []
        self.skipped: list[etree._Element] = []  # what the tables do not take

    def collect(self, node: etree._Element, table: Table) -> None:
        """Read the children of a node. This is the inner loop of a harvest."""
        fields, find = self.fields, table.get
        for child in children(node):
            entry = find(child.tag)
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

    def note(self, code: str, field: str = "", value: str = "", result: str = "") -> None:
        self.issues.append(Issue(code=code, field=field, value=value, result=result))

    def first(self, name: str) -> str:
        """Take a field out that the record holds once: its first value, "" if there is none."""
        values: list[str] | None = self.fields.pop(name, None)
        return values[0] if values else ""

    def convert(self, **single: Any) -> Conversion:
        """The record of all that was gathered; `single` are the fields that are no lists."""
        if self.empty:
            self.note("chars.N011", shorten(self.empty[0]), str(len(self.empty)))
        for name, values in self.fields.items():
            if values:
                single[name] = tuple(values)
        return Conversion(BibliographicRecord(**single), self.issues)


def table(rows: dict[str, tuple[str, Reader] | None]) -> Table:
    """A table written with the usual prefixes ("dc:title") as the dispatcher needs it."""
    return {expand(name): entry for name, entry in rows.items()}


def unique(values: Iterable[str]) -> Iterator[str]:
    """The values in their order, each once."""
    return iter(dict.fromkeys(values))
