"""The versions of JPCOAR in which records are written: 2.1, and 1.0 and 2.0 for services that do not read it.

Elements and attributes that the earlier version does not have are left out. A term that it does not have becomes the
closest one that it has. The lists are those of the official schemas of 1.0.2 and 2.0.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from metadata.formats.jpcoar.terms import RELATION_TYPES
from metadata.vocabularies.namespaces import DATACITE, DC, DCNDL, DCTERMS, JPCOAR, OAIRE, RDF, XSI
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations

_NAMESPACES = {
    "dc": DC,
    "dcterms": DCTERMS,
    "datacite": DATACITE,
    "oaire": OAIRE,
    "dcndl": DCNDL,
    "rdf": RDF,
    "xsi": XSI,
}

type Convert = Callable[[str], str]  # a term -> that of an earlier version
type Terms = Mapping[tuple[str, str], Convert]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Version:
    """What an earlier version has less than 2.1. Elements are named as in 2.1.

    types: of resources. terms: (element, attribute) → the term of this version; "" leaves the attribute out, and an
    element that needs it. names: elements that have another name; "" for those that are left out. opened: elements of
    which only the content is written. texts: elements whose text must match. attributes: those that are left out.
    has_volumes: whether it has elements for edition and title of a volume. root: the attributes of the root.
    """

    namespace: str
    types: Mapping[str, str] = field(default_factory=dict)
    terms: Terms = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    opened: frozenset[str] = frozenset()
    texts: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    has_volumes: bool = True
    root: Xml = field(init=False)

    def __post_init__(self) -> None:
        location = f"{self.namespace} jpcoar_scm.xsd"
        declared = declarations({"jpcoar": self.namespace, **_NAMESPACES})
        object.__setattr__(self, "root", attributes({**declared, "xsi:schemaLocation": location}))

    @property
    def schema(self) -> str:
        """The address of the XSD."""
        return f"{self.namespace}jpcoar_scm.xsd"

    def attribute(self, element: str, name: str, term: str) -> Xml:
        """Return an attribute with a term of a vocabulary; nothing for a term that this version does not have."""
        return _attribute(self, element, name, term)

    def has_text(self, element: str, text: str) -> bool:
        """Whether an element can have the text in this version."""
        pattern = self.texts.get(element)
        return pattern is None or pattern.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _attribute(version: Version, element: str, name: str, term: str) -> Xml:
    if name in version.attributes:
        return NOTHING
    convert = version.terms.get((element, name))
    return attribute(name, convert(term) if convert and term else term)


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
_RELATED, _RELATION = "jpcoar:relatedIdentifier", "jpcoar:relation"
_DATE, _SOURCE_NUMBER = "datacite:date", "jpcoar:sourceIdentifier"
_FUNDER_NUMBER = "jpcoar:funderIdentifier"
_OF_BOTH: Terms = {
    (_DATE, "dateType"): _except("Coverage"),
    (_SOURCE_NUMBER, "identifierType"): _except("ISBN"),
    ("jpcoar:contributor", "contributorType"): _except("Translator", "Other"),
}
_NUMBER = re.compile("[1-9][0-9]*")

NEWEST = Version(namespace=JPCOAR)
VERSION_2_0 = Version(
    namespace=JPCOAR.replace("2.1", "2.0"),
    types=_TYPES_OF_2_0,
    terms={
        **_OF_BOTH,
        (_RELATED, "identifierType"): _except("CSTR RRID", "Local"),
        (_RELATION, "relationType"): _relation_of_2_0,
    },
)
VERSION_1_0 = Version(
    namespace=JPCOAR.replace("2.1", "1.0"),
    types=_TYPES_OF_1_0,
    terms={
        **_OF_BOTH,
        (_RELATED, "identifierType"): _except("CRID CSTR ISSN NCID RRID", "Local"),
        (_RELATION, "relationType"): _relation_of_1_0,
        ("jpcoar:nameIdentifier", "nameIdentifierScheme"): _only(
            "AID GRID ISNI NRID ORCID Ringgold VIAF kakenhi e-Rad", **{"e-Rad_Researcher": "e-Rad"}
        ),
        ("jpcoar:subject", "subjectScheme"): _only(
            "BSH DDC LCC LCSH MeSH NDC NDLC NDLSH UDC", "Other", SciVal="Sci-Val"
        ),
        ("jpcoar:URI", "objectType"): _except("iiif", "other"),
        (_FUNDER_NUMBER, "funderIdentifierType"): _only("GRID ISNI", "Other", **{"Crossref Funder": "Crossref Funder"}),
    },
    names={
        _FUNDER_NUMBER: "datacite:funderIdentifier",
        "jpcoar:awardNumber": "datacite:awardNumber",
        "jpcoar:publisherName": "dc:publisher",
        **dict.fromkeys("jpcoar:publisherDescription dcndl:location dcndl:publicationPlace".split(), ""),
        **dict.fromkeys("jpcoar:fundingStreamIdentifier jpcoar:fundingStream dcterms:date".split(), ""),
        **dict.fromkeys("dcndl:edition dcndl:volumeTitle dcndl:originalLanguage dcterms:extent".split(), ""),
        **dict.fromkeys("jpcoar:holdingAgent jpcoar:datasetSeries".split(), ""),
    },
    opened=frozenset({"jpcoar:publisher"}),
    texts={
        "jpcoar:pageStart": _NUMBER,
        "jpcoar:pageEnd": _NUMBER,
        _DATE: re.compile("[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?"),
    },
    attributes=frozenset("creatorType nameType funderIdentifierTypeURI awardNumberType".split()),
    has_volumes=False,
)
