"""Reads a payload into a record and its issues: parse, crosswalk, enrichment rules, validation. Pure; never raises on
bad data.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
from lxml import etree

from metadata.deposits.needs import check_deposit
from metadata.formats import CROSSWALKS, Conversion, Format, UnreadableRecord, crosswalk_of, data_format_of
from metadata.issue import Enriched, Issue, Reading
from metadata.policy import DEFAULT, Policy
from metadata.record import BibliographicRecord
from metadata.validation.characters import check_characters
from metadata.vocabularies.dcndl import is_repository_number
from metadata.vocabularies.namespaces import expand, shorten
from metadata.xml.envelopes import unwrap
from metadata.xml.parsing import XmlError, parse

_WIDE = ("UTF-16", "UTF-32", "UCS-")  # encodings that only XML 1.0 allows: providers must send UTF-8
_ENVELOPES = frozenset({expand("oai:metadata"), "metadata"})


def read(payload: bytes, prefix: str, policy: Policy = DEFAULT) -> Reading:
    """Read the content of one metadata element. prefix: the requested format; the payload decides the actual one.

    A payload that begins with "{" is a record in JSON, any other is XML. policy: which issues prevent registering the
    record, and which are not reported.
    """
    return read_all([payload], prefix, policy)[0]


def read_element(root: etree._Element, prefix: str, policy: Policy = DEFAULT) -> Reading:
    """The same as `read`, for an element that is already parsed (with the options of metadata.xml.parsing)."""
    return read_all([root], prefix, policy)[0]


def read_all(sources: Sequence[bytes | etree._Element], prefix: str, policy: Policy = DEFAULT) -> list[Reading]:
    """The same as `read` and `read_element`, for many at once.

    Each step is done for all of them before the next begins: code and tables then stay in the processor's caches, which
    saves a fifth of the time.
    """
    entries = [_find_described(source, prefix, policy) for source in sources]
    described = [entry for entry in entries if isinstance(entry, _Described)]
    readings = iter(_read_described(described, prefix, policy))
    return [next(readings) if isinstance(entry, _Described) else entry for entry in entries]


class _Described(NamedTuple):
    """A payload to convert: the element with the description, and the crosswalk of its format."""

    root: etree._Element
    crosswalk: Format


def _find_described(source: bytes | etree._Element, prefix: str, policy: Policy) -> _Described | Reading:
    """Return the element to convert; or the finished reading if the payload is JSON or has no usable element."""
    if isinstance(source, etree._Element):
        return _described_element(source, prefix)
    if not source.strip():
        return _rejected("oai.E002", "metadata")
    if (data_format := data_format_of(source)) is not None:
        return _read_data(source, data_format, policy)
    try:
        return _described_element(parse(source), prefix)
    except XmlError as error:
        return _rejected(error.code, f"{error.line}:{error.column}", error.reason)


def _described_element(root: etree._Element, prefix: str) -> _Described | Reading:
    root = unwrap(root)
    if root.tag in _ENVELOPES:
        if len(root) != 1:
            names = " ".join(shorten(child.tag) for child in root)
            return _rejected("oai.E003" if len(root) else "oai.E002", "metadata", names)
        root = root[0]
    crosswalk = crosswalk_of(root.tag)
    if crosswalk is None or not crosswalk.recognises(root):
        return _rejected("oai.E004", prefix, root.tag)
    return _Described(root, crosswalk)


def _read_described(described: Sequence[_Described], prefix: str, policy: Policy) -> list[Reading]:
    # Usually a single run, because all records have the same format.
    runs = [list(run) for _, run in groupby(described, key=lambda entry: id(entry.crosswalk))]
    in_trees: list[list[Issue]] = []
    converted = [pair for run in runs for pair in run[0].crosswalk.conversions(_checking(run, in_trees))]
    for (_root, crosswalk), (_record, issues), in_tree in zip(described, converted, in_trees, strict=True):
        if _differs(crosswalk, prefix):
            issues.append(Issue(code="oai.W004", field=prefix, value=crosswalk.prefix))
        issues += [issue for issue in in_tree if issue not in issues]
    enriched: list[Enriched | None] = [None] * len(described)
    if policy.enrichment is not None:
        pairs = [_enrich(one, entry.crosswalk, policy) for entry, one in zip(described, converted, strict=True)]
        converted, enriched = [one for one, _of_rules in pairs], [of_rules for _one, of_rules in pairs]
    for (_root, crosswalk), (record, issues) in zip(described, converted, strict=True):
        issues += check_rules(record, crosswalk)
    for (root, _crosswalk), (_record, issues) in zip(described, converted, strict=True):
        encoding = root.getroottree().docinfo.encoding or ""
        if encoding.upper().startswith(_WIDE):
            issues.append(Issue(code="chars.W020", field="encoding", value=encoding))
    return [
        _checked(entry, conversion, of_rules, policy)
        for entry, conversion, of_rules in zip(described, converted, enriched, strict=True)
    ]


def _checking(run: Iterable[_Described], in_trees: list[list[Issue]]) -> Iterator[etree._Element]:
    """Yield each element to convert, and then add to `in_trees` what only its XML shows.

    Just after an element has been read, it is in the processor's caches: checking it then takes a third of the time.
    """
    for root, crosswalk in run:
        yield root
        in_trees.append(list(crosswalk.check_tree(root)))


def _enrich(conversion: Conversion, record_format: Format, policy: Policy) -> tuple[Conversion, Enriched | None]:
    """Apply the enrichment rules to a record as it was received, and say what they did.

    The record without the rules is checked as well, to know whether it could be registered.
    """
    if policy.enrichment is None:
        return conversion, None
    version = policy.enrichment.version
    applied = policy.enrichment.apply(conversion.record)
    if not applied.names:
        return conversion, Enriched(version=version)
    original, found = check_characters(conversion.record, record_format.elements, policy)
    is_refused = policy.refuses([*conversion.issues, *found, *check_rules(conversion.record, record_format)])
    kept = None if is_refused else original
    return Conversion(applied.record, conversion.issues), Enriched(version=version, names=applied.names, original=kept)


def _checked(entry: _Described, conversion: Conversion, enriched: Enriched | None, policy: Policy) -> Reading:
    """The reading, after the checks of characters and by the official schemas."""
    record, character_issues = check_characters(conversion.record, entry.crosswalk.elements, policy)
    by_schema = policy.schemas.check(entry.root) if policy.schemas is not None else []
    return _accepted(record, [*conversion.issues, *character_issues, *by_schema], policy, enriched)


def _differs(crosswalk: Format, prefix: str) -> bool:
    """Whether a record is in another format than the requested one. False where one of the two is a format of feeds or
    files, which cannot be requested.
    """
    if crosswalk.prefix == prefix:
        return False
    requested = CROSSWALKS.get(prefix)
    return requested is not None and requested.requested and crosswalk.requested


def _read_data(payload: bytes, data_format: Format, policy: Policy) -> Reading:
    try:
        conversion, enriched = _enrich(data_format.read_data(payload), data_format, policy)
    except UnreadableRecord as error:
        return Reading(issues=(error.issue,))
    record, issues = conversion
    issues += check_rules(record, data_format)
    record, character_issues = check_characters(record, data_format.elements, policy)
    return _accepted(record, issues + character_issues, policy, enriched)


def check_rules(record: BibliographicRecord, record_format: Format) -> list[Issue]:
    """Return the issues that the rules of its format find in the record, and those about the DOI that it asks for."""
    found = [issue for check in record_format.checks for issue in check(record)]
    if not record.registrations:
        return found
    deposit = check_deposit(record)
    return found + [msgspec.structs.replace(issue, field=record_format.name_of(issue.field)) for issue in deposit]


def _accepted(
    record: BibliographicRecord, issues: list[Issue], policy: Policy, enriched: Enriched | None = None
) -> Reading:
    """The reading with the issues that the policy reports; without the record if one of them forbids registering it."""
    reported = policy.reported(issues)
    return Reading(record=None if policy.refuses(reported) else record, issues=reported, enriched=enriched)


def check_repository_number(reading: Reading, number: str, policy: Policy = DEFAULT) -> Reading:
    """Return the reading, with a warning if the record has another repository number than the registered one."""
    received = reading.record.repository_number if reading.record else ""
    if received == number or not is_repository_number(received):
        return reading  # other rules report a number that is missing or malformed
    issue = Issue(code="dcndl.W110", field="dcndl:bibRecordCategory", value=received, result=number)
    return with_issues(reading, [issue], policy)


def with_issues(reading: Reading, issues: Sequence[Issue], policy: Policy) -> Reading:
    """Return the reading after a further check has found these issues."""
    reported = policy.reported(issues)
    record = None if policy.refuses(reported) else reading.record
    return Reading(record=record, issues=(*reading.issues, *reported), enriched=reading.enriched)


def _rejected(code: str, field: str, value: str = "") -> Reading:
    return Reading(issues=(Issue(code=code, field=field, value=value),))
