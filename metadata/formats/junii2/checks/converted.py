"""What JPCOAR's checks say of a junii2 record that was brought into JPCOAR: what is told of it, in junii2's names.

Left out is what comes from the bringing and not from the provider, and what junii2's own checks tell already.
"""

from collections.abc import Iterator

import msgspec
from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.record import check_tree
from metadata.issue import Issue

_VERSION = "2.1"  # what junii2 is brought into
# junii2 has no languages of names, no kinds of contributors and files, no URI of rights, and one degree name.
_NOT_IN_JUNII2 = "E003 E103 E004 E104 W005 W006 W025 W026 W041 W138 E021"
# Its NAID, PMID, ISSN and edition of NDC are what junii2 asks for; so are the notations of its identifiers.
_AS_ASKED = "W032 W034 W132 W221 E030 W121 W421 W001 W145"
_TOLD_ALREADY = "W023 W030 W141 E041 W035 W038 W238"  # W006, E008, W008, W009, E023, W013, E020, W020
_LEFT_OUT = frozenset(f"jpcoar.{code}" for code in f"{_NOT_IN_JUNII2} {_AS_ASKED} {_TOLD_ALREADY}".split())
_NAMES = {
    "jpcoar:identifierRegistration": "selfDOI",
    "jpcoar:identifier[@HDL|@URI]": "URI",
    "jpcoar:identifier": "URI",
    "jpcoar:file/jpcoar:URI[@fulltext]": "fullTextURL",
    "jpcoar:file/jpcoar:URI": "fullTextURL",
    "jpcoar:relatedIdentifier[@ISBN]": "isbn",
    "jpcoar:relation[@isVersionOf]": "doi, pmid, isVersionOf",
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
    "dc:title": "title",
    "dc:type": "NIItype",
}
_EXACTLY = {
    "jpcoar:identifier[@DOI]": "selfDOI",
    "jpcoar:sourceIdentifier[@ISSN]": "issn",
    "jpcoar:sourceIdentifier[@NCID]": "NCID",
    "jpcoar:sourceIdentifier": "issn",
    "datacite:date[@Issued]": "dateofissued",
    "datacite:date[@Created]": "date",
    "datacite:date": "dateofissued",
}


def check_converted(elements: list[etree._Element], draft: Draft) -> None:
    """The checks of JPCOAR's tree; the same that a record sent as JPCOAR goes through."""
    check_tree(elements, draft, _VERSION)


def in_junii2(issues: list[Issue]) -> Iterator[Issue]:
    """What is told of them, with the names of the elements that the provider wrote."""
    left_out = _LEFT_OUT | ({"jpcoar.E117"} if any(each.code == "junii2.E120" for each in issues) else set())
    for each in issues:
        if not each.code.startswith("jpcoar."):
            yield each
        elif each.code not in left_out and not (each.code == "jpcoar.W020" and each.value == "NA"):
            value = renamed(each.value) if each.code == "jpcoar.W012" else each.value
            yield msgspec.structs.replace(each, field=renamed(each.field), value=value)


def renamed(field: str) -> str:
    """One element or several, in junii2's names."""
    return ", ".join(_EXACTLY.get(each) or _by_beginning(each) for each in field.split(", ") if each)


def _by_beginning(field: str) -> str:
    for name, ours in _NAMES.items():
        if field.startswith(name):
            return ours + field[len(name) :].replace("xml:lang", "lang")
    return field
