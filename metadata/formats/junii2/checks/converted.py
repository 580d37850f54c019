"""Checks of junii2 records after conversion to JPCOAR: JPCOAR's issues, with the element names of junii2.

Left out are issues that the conversion causes, and issues that junii2's own checks report already.
"""

import re
from collections.abc import Iterator

import msgspec
from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.record import check_tree
from metadata.issue import Issue, where

_VERSION = "2.1"  # the version that junii2 is converted to
# Left out because junii2 has no place for the data: languages of names, kinds of contributors and files, URIs of
# rights, a second degree name.
_NOT_IN_JUNII2 = "E003 E103 E004 E104 W005 W006 W025 W026 W041 W138 E021"
# Left out because junii2 requires what JPCOAR refuses: NAID, PMID, ISSN, editions of NDC, its notations of identifiers.
_REQUIRED_BY_JUNII2 = "W032 W034 W132 W221 E030 W121 W421 W001 W145"
_REPORTED_ALREADY = "W023 W030 W141 E041 W035 W038 W238"  # as junii2.W006, E008, W008, W009, E023, W013, E020, W020
_LEFT_OUT = frozenset(
    f"jpcoar.{code}" for code in f"{_NOT_IN_JUNII2} {_REQUIRED_BY_JUNII2} {_REPORTED_ALREADY}".split()
)
_NAME_PREFIXES = {
    "jpcoar:identifierRegistration": "selfDOI",
    "jpcoar:identifier": "URI",
    "jpcoar:file/jpcoar:URI": "fullTextURL",
    where("jpcoar:relation/jpcoar:relatedIdentifier", "identifierType", "ISBN"): "isbn",
    where("jpcoar:relation", "relationType", "isVersionOf"): "doi, pmid, isVersionOf",
    "jpcoar:creator/jpcoar:nameIdentifier": "creator/@id",
    "jpcoar:contributor/jpcoar:nameIdentifier": "contributor/@id",
    "jpcoar:creator": "creator",
    "jpcoar:sourceTitle": "jtitle",
    "jpcoar:volume": "volume",
    "jpcoar:issue": "issue",
    "jpcoar:pageStart": "spage",
    "jpcoar:pageEnd": "epage",
    "dcndl:dateGranted": "dateofgranted",
    "dcndl:degreeName": "degreename",
    "jpcoar:degreeGrantor": "grantor",
    "dcndl:dissertationNumber": "grantid",
    "dc:language": "language",
    "dc:publisher": "publisher",
    "dc:title": "title",
    "dc:type": "NIItype",
}
_EXACT_NAMES = {
    where("jpcoar:identifier", "identifierType", "DOI"): "selfDOI",
    where("jpcoar:sourceIdentifier", "identifierType", "ISSN"): "issn",
    where("jpcoar:sourceIdentifier", "identifierType", "NCID"): "NCID",
    "jpcoar:sourceIdentifier": "issn",
    where("datacite:date", "dateType", "Issued"): "dateofissued",
    where("datacite:date", "dateType", "Created"): "date",
    "datacite:date": "dateofissued",
}
_JPCOAR_TYPE = re.compile(r"\[@\w+=.*")  # junii2 has an element for every type


def check_converted(elements: list[etree._Element], draft: Draft) -> None:
    """Check the converted tree in the same way as a record that was sent as JPCOAR."""
    check_tree(elements, draft, _VERSION)


def with_junii2_names(issues: list[Issue]) -> Iterator[Issue]:
    """Yield the issues to report, with the names of the elements that the provider wrote."""
    left_out = _LEFT_OUT | ({"jpcoar.E117"} if any(issue.code == "junii2.E120" for issue in issues) else set())
    for issue in issues:
        if not issue.code.startswith("jpcoar."):
            yield issue
        elif issue.code not in left_out and not (issue.code == "jpcoar.W020" and issue.value == "NA"):
            yield msgspec.structs.replace(issue, field=junii2_names(issue.field))


def junii2_names(field: str) -> str:
    """Return the names of one or more elements, separated by commas, in junii2."""
    return ", ".join(_EXACT_NAMES.get(name) or _by_beginning(name) for name in field.split(", ") if name)


def _by_beginning(field: str) -> str:
    for name, junii2_name in _NAME_PREFIXES.items():
        if field.startswith(name):
            return junii2_name + _JPCOAR_TYPE.sub("", field[len(name) :]).replace("xml:lang", "lang")
    return field
