"""What a format is: one value in its folder, from which every other place takes what it needs to know.

Independent of the single formats; `metadata.formats` has the list of them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from metadata.formats.common.base import Conversion, Row, Step, Table
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Check, Rules
from metadata.validation.texts import RuleText
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import shorten
from metadata.writer import Writer

UNRANKED = 500  # between the formats that describe books well and those that hardly do


class UnreadableRecord(Exception):
    """A payload that is no record of its format. issue: the issue to store about it."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(f"{issue.code} {issue.field} {issue.value}")
        self.issue = issue


def _has_no_elements(root: etree._Element) -> Conversion:
    raise TypeError(f"<{root.tag}>: the records of this format have no elements")


def _has_no_data(payload: bytes) -> Conversion:
    raise TypeError(f"{payload[:20]!r}: the records of this format are XML")


def _is_always(root: etree._Element) -> bool:
    return True


def _is_never(payload: bytes) -> bool:
    return False


def _as_in_jpcoar(field: str) -> str:
    return field


def _finds_nothing(root: etree._Element) -> Iterable[Issue]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format in both directions.

    writers: the form in which records are written under the prefix of the format, then earlier versions of it.

    Names. prefixes: the metadataPrefixes that a feed can be registered with, the richest version of the format first;
    () for `prefix` only. aliases: others that providers use. profiles: parts of URIs by which ResourceSync names it.

    Reading. roots: the elements that a payload of this format can begin with; recognises: tells it from other formats
    with the same root. readers: for each element that has described children, the table of these children. rows: the
    table where the parts are no such elements, or become elements of another format. steps: what is decided about the
    values afterwards. elements: record field → element to name in messages; `readers` supply the
    rest. A format without elements has is_data and read_data instead, which raises UnreadableRecord. name_of: element
    of JPCOAR → its name here, for the rules about DOIs. files: kinds of files besides XML whose records it describes.
    requested: providers are asked for it by its metadataPrefix; False for feeds and files.

    Checking. rules, texts: the rules for records, and the texts of all codes. check_tree: what only the XML shows.
    profile: the usual one of its providers. xsd: name → root element of the records that an official schema describes;
    xsd_addresses: where the official schemas are published.

    Choosing. rank: a description in a format with a lower rank replaces one with a higher rank. about: what the format
    offers this catalogue, or lacks.
    """

    prefix: str
    label: Label
    about: Label
    rank: int
    writers: tuple[Writer, ...] = ()
    prefixes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    roots: frozenset[str] = frozenset()
    recognises: Callable[[etree._Element], bool] = _is_always
    readers: dict[str, Table] = field(default_factory=dict)
    rows: tuple[Row[Any, Any], ...] = ()
    steps: tuple[Step, ...] = ()
    elements: dict[str, str] = field(default_factory=dict)
    read: Callable[[etree._Element], Conversion] = _has_no_elements
    read_all: Callable[[Iterable[etree._Element]], list[Conversion]] | None = None  # where reading in batches is faster
    find_unmapped: Callable[[etree._Element], list[str]] | None = None  # where attributes distinguish the elements
    is_data: Callable[[bytes], bool] = _is_never
    read_data: Callable[[bytes], Conversion] = _has_no_data
    name_of: Callable[[str], str] = _as_in_jpcoar
    files: tuple[str, ...] = ()
    requested: bool = True
    rules: tuple[Rules, ...]
    texts: Mapping[str, RuleText]
    checks: tuple[Check, ...] = field(init=False)
    check_tree: Callable[[etree._Element], Iterable[Issue]] = _finds_nothing
    xsd: Mapping[str, str] = field(default_factory=dict)
    xsd_addresses: tuple[str, ...] = ()
    profile: str = "ndl"

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", tuple(check for rules in self.rules for check in rules.checks))
        for table in self.readers.values():
            for tag, entry in table.items():
                if entry is not None:
                    self.elements.setdefault(entry[0], shorten(tag))

    @property
    def writer(self) -> Writer:
        return self.writers[0]

    @property
    def namespace(self) -> str:
        return next((writer.namespace for writer in self.writers), "")

    @property
    def schema(self) -> str:
        return self.writer.schema

    @property
    def write(self) -> Callable[[BibliographicRecord], bytes]:
        return self.writer.write

    def conversions(self, roots: Iterable[etree._Element]) -> list[Conversion]:
        """Read several payloads, with `read_all` where the format has it, taking one element after the other."""
        return self.read_all(roots) if self.read_all is not None else [self.read(root) for root in roots]

    def unmapped(self, root: etree._Element) -> list[str]:
        """Return the elements of a payload that no reader handles, as "parent/child", without repetition."""
        if self.find_unmapped is not None:
            return self.find_unmapped(root)
        names = (
            f"{shorten(parent.tag)}/{shorten(child.tag)}"
            for parent in root.iter(*self.readers)
            for child in parent
            if child.tag not in self.readers[parent.tag]
        )
        return list(dict.fromkeys(names))
