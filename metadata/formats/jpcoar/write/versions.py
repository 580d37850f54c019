"""Writes a record as JPCOAR 1.0 or 2.0, for services that do not read 2.1: the record in 2.1, converted.

Elements and attributes that the earlier version does not have are left out. A term that it does not have becomes the
closest one that it has. The lists are those of the official schemas of 1.0.2 and 2.0.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from metadata.display_title import display_title
from metadata.formats.jpcoar.terms import RELATION_TYPES
from metadata.formats.jpcoar.write import record as newest
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import JPCOAR
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.writing import Element, serialise

JPCOAR_1_0 = JPCOAR.replace("2.1", "1.0")
JPCOAR_2_0 = JPCOAR.replace("2.1", "2.0")
SCHEMA_1_0 = f"{JPCOAR_1_0}jpcoar_scm.xsd"
SCHEMA_2_0 = f"{JPCOAR_2_0}jpcoar_scm.xsd"
_ROOTS = {namespace: newest.root_attributes(namespace) for namespace in (JPCOAR_1_0, JPCOAR_2_0)}

type Convert = Callable[[str], str]  # a term -> that of an earlier version
type Terms = Mapping[tuple[str, str], Convert]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """What an earlier version has less than 2.1.

    dropped: elements. texts: elements whose text must match. attributes: those that are left out. terms: (element,
    attribute) → the term of this version; "" leaves the attribute out. required: element → the attribute without which
    it is left out. renamed: elements that have other names. terms_of: `terms` by element. different: the elements in
    the other tables; most elements of a record are in none.
    """

    namespace: str
    types: Mapping[str, str]
    terms: Terms
    dropped: frozenset[str] = frozenset()
    texts: Mapping[str, re.Pattern[str]]
    attributes: frozenset[str] = frozenset()
    required: Mapping[str, str]
    renamed: Mapping[str, str]
    terms_of: Mapping[str, Sequence[tuple[str, Convert]]] = field(init=False)
    different: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        terms_of: defaultdict[str, list[tuple[str, Convert]]] = defaultdict(list)
        for (element, attribute), convert in self.terms.items():
            terms_of[element].append((attribute, convert))
        object.__setattr__(self, "terms_of", dict(terms_of))
        different = {_TYPE, *self.dropped, *self.texts, *self.required, *self.renamed}
        object.__setattr__(self, "different", frozenset(different))


def write_1_0(record: BibliographicRecord) -> bytes:
    """Return a complete jpcoar:jpcoar of version 1.0."""
    return write_all_1_0([record])[0]


def write_all_1_0(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write_1_0`, for many at once."""
    return _converted(newest.trees(list(map(_with_statements, records))), VERSION_1_0)


def write_2_0(record: BibliographicRecord) -> bytes:
    """Return a complete jpcoar:jpcoar of version 2.0."""
    return write_all_2_0([record])[0]


def write_all_2_0(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write_2_0`, for many at once."""
    return _converted(newest.trees(records), VERSION_2_0)


def _with_statements(record: BibliographicRecord) -> BibliographicRecord:
    """Add to the title what 1.0 has no element for: edition and title of the volume; beside a host also the volume."""
    if not record.titles:
        return record
    without = record if record.host.title or record.host.volume else structs.replace(record, volumes=())
    main = structs.replace(record.titles[0], value=display_title(without))
    return structs.replace(record, titles=(main, *record.titles[1:]))


def _converted(roots: Sequence[Element], version: Version) -> list[bytes]:
    for root in roots:
        _convert_children(root, version)
    return [serialise(root, _ROOTS[version.namespace]) for root in roots]


def _convert_children(parent: Element, version: Version) -> None:
    converted: list[Element] = []
    for child in parent.children:
        if version is VERSION_1_0 and child.name == _PUBLISHER:
            converted += _plain_publishers(child)
        elif _is_kept(child, version):
            converted.append(child)
    parent.children = converted


def _is_kept(element: Element, version: Version) -> bool:
    """Convert an element and all below it. False if it is left out, or if nothing is left of what it held."""
    name = element.name
    if element.attributes:
        if name in version.terms_of:
            _convert_terms(element, version.terms_of[name])
        for unknown in version.attributes and version.attributes & element.attributes.keys():
            del element.attributes[unknown]
    if name in version.different and not _conform(element, version):
        return False
    if element.children:
        _convert_children(element, version)
        return bool(element.children)
    return True


def _convert_terms(element: Element, terms: Sequence[tuple[str, Convert]]) -> None:
    for name, convert in terms:
        value = element.attributes.get(name, "")
        term = convert(value) if value else ""
        if term:
            element.attributes[name] = term
        else:
            element.attributes.pop(name, None)


def _conform(element: Element, version: Version) -> bool:
    """Convert an element that is different in this version. False if it is left out."""
    if element.name in version.dropped:
        return False
    pattern = version.texts.get(element.name)
    if pattern and not pattern.fullmatch(element.text):
        return False
    required = version.required.get(element.name)
    if required and required not in element.attributes:
        return False
    if element.name == _TYPE:
        element.text = version.types.get(element.text, element.text)
        element.attributes["rdf:resource"] = RESOURCE_TYPES[element.text or "other"].uri
    element.name = version.renamed.get(element.name, element.name)
    return True


def _plain_publishers(block: Element) -> Iterator[Element]:
    """Yield the names of a jpcoar:publisher, which is of version 2.0, as dc:publisher."""
    for name in block.children:
        if name.name == "jpcoar:publisherName":
            name.name = "dc:publisher"
            yield name


def _only(terms: str, other: str = "", **renamed: str) -> Callable[[str], str]:
    """Return a function that keeps these terms, renames some, and replaces all others."""
    known = frozenset(terms.split())
    return lambda term: term if term in known else renamed.get(term, other)


def _except(terms: str, other: str = "") -> Callable[[str], str]:
    """Return a function that keeps all terms but these."""
    unknown = frozenset(terms.split())
    return lambda term: other if term in unknown else term


_OLD_RELATIONS = frozenset(
    "isVersionOf hasVersion isPartOf hasPart isReferencedBy references isFormatOf hasFormat isReplacedBy replaces "
    "isRequiredBy requires isSupplementTo isSupplementedBy isIdenticalTo isDerivedFrom isSourceOf".split()
)


def _relation_of_2_0(term: str) -> str:
    if term == "cites":
        return "Cites"
    return term if term in _OLD_RELATIONS | {"inSeries", "isCitedBy"} else RELATION_TYPES.get(term, "")


def _relation_of_1_0(term: str) -> str:
    return term if term in _OLD_RELATIONS else RELATION_TYPES.get(term, "").replace("relation", "")


def _table(lines: str) -> dict[str, str]:
    """Return new term → old term, from lines such as "dataset: survey data; recorded data"."""
    rows = (line.partition(": ") for line in lines.strip().splitlines())
    return {new: old for old, _, terms in rows for new in terms.split("; ")}


_TYPES_OF_2_0 = _table("""
other: archival collection; artistic work; collection; court documents; knowledge organization system; physical sample
article: magazine article
research protocol: knowledge synthesis protocol
other: research instrument
""")
_TYPES_OF_1_0 = _table("""
periodical: journal; other periodical
conference object: conference output; conference presentation
dataset: aggregated data; clinical trial data; compiled data; encoded data; experimental data; genomic data
dataset: geospatial data; measurement and test data; observational data; recorded data; simulation data; survey data
software: source code
patent: PCT application; design patent; plant patent; software patent; utility model
article: commentary; magazine article
other: archival collection; artistic work; collection; court documents; knowledge organization system; physical sample
other: design; industrial design; knowledge synthesis protocol; laboratory notebook; layout design; peer review
other: plant variety protection; research instrument; research protocol; trademark; transcription
""")
_PUBLISHER, _TYPE, _RELATED = "jpcoar:publisher", "dc:type", "jpcoar:relatedIdentifier"
_DATE, _NAME_NUMBER = "datacite:date", "jpcoar:nameIdentifier"
_SOURCE_NUMBER, _FUNDER_NUMBER = "jpcoar:sourceIdentifier", "jpcoar:funderIdentifier"
_CONTRIBUTOR, _RELATION = "jpcoar:contributor", "jpcoar:relation"
_REQUIRED = {
    _DATE: "dateType",
    _NAME_NUMBER: "nameIdentifierScheme",
    _SOURCE_NUMBER: "identifierType",
    _FUNDER_NUMBER: "funderIdentifierType",
}
_OF_BOTH: Terms = {
    (_DATE, "dateType"): _except("Coverage"),
    (_SOURCE_NUMBER, "identifierType"): _except("ISBN"),
    (_CONTRIBUTOR, "contributorType"): _except("Translator", "Other"),
}
_NUMBER = re.compile("[1-9][0-9]*")

VERSION_2_0 = Version(
    namespace=JPCOAR_2_0,
    types=_TYPES_OF_2_0,
    terms={
        **_OF_BOTH,
        (_RELATED, "identifierType"): _except("CSTR RRID", "Local"),
        (_RELATION, "relationType"): _relation_of_2_0,
    },
    texts={},
    required=_REQUIRED,
    renamed={},
)
VERSION_1_0 = Version(
    namespace=JPCOAR_1_0,
    types=_TYPES_OF_1_0,
    terms={
        **_OF_BOTH,
        (_RELATED, "identifierType"): _except("CRID CSTR ISSN NCID RRID", "Local"),
        (_RELATION, "relationType"): _relation_of_1_0,
        (_NAME_NUMBER, "nameIdentifierScheme"): _only(
            "AID GRID ISNI NRID ORCID Ringgold VIAF kakenhi e-Rad", **{"e-Rad_Researcher": "e-Rad"}
        ),
        ("jpcoar:subject", "subjectScheme"): _only(
            "BSH DDC LCC LCSH MeSH NDC NDLC NDLSH UDC", "Other", SciVal="Sci-Val"
        ),
        ("jpcoar:URI", "objectType"): _except("iiif", "other"),
        (_FUNDER_NUMBER, "funderIdentifierType"): _only("GRID ISNI", "Other", **{"Crossref Funder": "Crossref Funder"}),
    },
    dropped=frozenset(
        "jpcoar:fundingStreamIdentifier jpcoar:fundingStream dcterms:date dcterms:format dcndl:edition "
        "dcndl:volumeTitle dcndl:originalLanguage dcterms:extent jpcoar:format jpcoar:holdingAgent "
        "jpcoar:datasetSeries jpcoar:catalog".split()
    ),
    texts={
        "jpcoar:pageStart": _NUMBER,
        "jpcoar:pageEnd": _NUMBER,
        _DATE: re.compile("[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?"),
    },
    attributes=frozenset("creatorType nameType funderIdentifierTypeURI awardNumberType".split()),
    required=_REQUIRED,
    renamed={
        _FUNDER_NUMBER: "datacite:funderIdentifier",
        "jpcoar:awardNumber": "datacite:awardNumber",
    },
)
