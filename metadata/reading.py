"""From a payload to a record with its issues: parse, crosswalk, validation. Pure; never raises on data."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from lxml import etree

from metadata.checking import check_rules
from metadata.formats import CROSSWALKS, crosswalk_of
from metadata.formats.common.base import Crosswalk
from metadata.formats.json import read as json_record
from metadata.issue import Issue, Reading
from metadata.policy import DEFAULT, Policy
from metadata.record import BibliographicRecord
from metadata.validation.characters import check_characters
from metadata.validation.tree import check_tree
from metadata.vocabularies.dcndl import is_repository_number
from metadata.vocabularies.namespaces import DCNDL, expand, shorten
from metadata.xml.parsing import XmlError, parse

# Feeds and files are not asked for a format, so theirs is never another than the one that was asked for.
_UNASKED = frozenset({"rss", json_record.PREFIX})
_METADATA, _RDF = expand("oai:metadata"), expand("rdf:RDF")


def read(payload: bytes, prefix: str, policy: Policy = DEFAULT) -> Reading:
    """Read what stands inside one metadata element. prefix: what was asked for; the payload decides the format.

    A payload that begins with "{" is a record as JSON, any other is XML. policy: which findings refuse the record,
    and which are not told.
    """
    return read_all([payload], prefix, policy)[0]


def read_element(root: etree._Element, prefix: str, policy: Policy = DEFAULT) -> Reading:
    """As `read`, for an element that is parsed already (with the options of metadata.xml)."""
    return read_all([root], prefix, policy)[0]


def read_all(sources: Sequence[bytes | etree._Element], prefix: str, policy: Policy = DEFAULT) -> list[Reading]:
    """As `read` and `read_element`, of many at once.

    Each step is taken with all of them before the next begins: a processor that does the same again finds its code
    and its tables in its caches, which saves a fifth.
    """
    opened = [_opened(each, prefix, policy) for each in sources]
    read = iter(_read_described([each for each in opened if isinstance(each, _Described)], prefix, policy))
    return [next(read) if isinstance(each, _Described) else each for each in opened]


class _Described(NamedTuple):
    """The element that describes something, and the format it is in."""

    root: etree._Element
    crosswalk: Crosswalk


def _opened(source: bytes | etree._Element, prefix: str, policy: Policy) -> _Described | Reading:
    """What is to be read, or the whole reading where that ends here already."""
    if isinstance(source, etree._Element):
        return _described(source, prefix)
    if not source.strip():
        return _rejected("oai.E002", "metadata")
    if json_record.is_json(source):
        return _read_json(source, policy)
    try:
        return _described(parse(source), prefix)
    except XmlError as error:
        return _rejected(error.code, f"{error.line}:{error.column}", error.reason)


def _described(root: etree._Element, prefix: str) -> _Described | Reading:
    if root.tag == _METADATA:
        if len(root) != 1:
            names = " ".join(shorten(child.tag) for child in root)
            return _rejected("oai.E003" if len(root) else "oai.E002", "metadata", names)
        root = root[0]
    crosswalk = crosswalk_of(root.tag)
    if crosswalk is None or not _is_described(root):
        return _rejected("oai.E004", prefix, root.tag)
    return _Described(root, crosswalk)


def _read_described(described: Sequence[_Described], prefix: str, policy: Policy) -> list[Reading]:
    runs = [list(run) for _, run in groupby(described, key=lambda each: id(each.crosswalk))]  # mostly one
    read = [found for run in runs for found in run[0].crosswalk.conversions([each.root for each in run])]
    for (root, crosswalk), (_record, issues) in zip(described, read, strict=True):
        if prefix in CROSSWALKS and crosswalk.prefix != prefix and not _UNASKED & {prefix, crosswalk.prefix}:
            issues.append(Issue(code="oai.W004", field=prefix, value=crosswalk.prefix))
        issues += [each for each in check_tree(root, crosswalk.prefix) if each not in issues]
    for (_root, crosswalk), (record, issues) in zip(described, read, strict=True):
        issues += check_rules(record, crosswalk.prefix)
    readings = []
    for (root, crosswalk), (record, issues) in zip(described, read, strict=True):
        mended, found = check_characters(record, crosswalk.elements, policy)
        issues += found
        if policy.schemas is not None:
            issues += policy.schemas.check(root)
        readings.append(_accepted(mended, issues, policy))
    return readings


def _read_json(payload: bytes, policy: Policy) -> Reading:
    try:
        record, issues = json_record.read(payload)
    except json_record.JsonError as error:
        return Reading(issues=(error.issue,))
    issues += check_rules(record, json_record.PREFIX)
    record, found = check_characters(record, {}, policy)
    return _accepted(record, issues + found, policy)


def _accepted(record: BibliographicRecord, issues: list[Issue], policy: Policy) -> Reading:
    """The record, unless one of the issues forbids registering it."""
    told = policy.told(issues)
    return Reading(record=None if policy.refuses(told) else record, issues=told)


def checked_number(reading: Reading, number: str, policy: Policy = DEFAULT) -> Reading:
    """The reading, with a warning where the record names another repository number than the one registered."""
    sent = reading.record.repository_number if reading.record else ""
    if sent == number or not is_repository_number(sent):
        return reading  # a number that is missing or malformed has its own rule
    issue = Issue(code="dcndl.W110", field="dcndl:bibRecordCategory", value=sent, result=number)
    told = policy.told([issue])
    return Reading(record=None if policy.refuses(told) else reading.record, issues=(*reading.issues, *told))


def _is_described(root: etree._Element) -> bool:
    """rdf:RDF is also the root of RSS 1.0 and of other vocabularies: DC-NDL has its own nodes below it."""
    return (
        root.tag != _RDF
        or not len(root)
        or DCNDL in root[0].tag  # as nearly always
        or any(DCNDL in child.tag for child in root)
    )


def _rejected(code: str, field: str, value: str = "") -> Reading:
    return Reading(issues=(Issue(code=code, field=field, value=value),))
