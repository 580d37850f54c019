"""The vocabularies of JPCOAR 1.0, 2.0 and 2.1 and their equivalents in DC-NDL. Tables only.

From the element list and vocabularies of JPCOAR/schema 86b4ad5. The NDL type of each resource type is this project's
decision.
"""

from typing import NamedTuple

_COAR = "http://purl.org/coar/resource_type/"
_NDL = "http://ndl.go.jp/ndltype/"
_DCMI = "http://purl.org/dc/dcmitype/"


class ResourceType(NamedTuple):
    """A term of the resource type vocabulary. uri: "" if COAR has none; ndl: "" if NDL has no such type."""

    uri: str
    ndl: str
    nii: str


# term=last segment of its URI, grouped by the NDL type and the NIItype that JPCOAR gives for it.
_TYPES = """
Article|Journal Article: journal article=c_6501; data paper=c_beb9
Article|Departmental Bulletin Paper: departmental bulletin paper=c_6501
Article|Conference Paper: conference paper=c_5794
Article|Article: article=c_6501; editorial=c_b239; review article=c_dcae04bc; software paper=c_7bab; \
magazine article=43KC-T6DC
Article|Book: book part=c_3248
Article|Others: commentary=D97F-VB57; report part=c_ba1f; interview=c_26e4; peer review=H9BQ-739P
Newspaper|Article: newspaper=c_2fe3
Journal|Article: journal=c_0640; periodical=c_2659
Journal|Others: other periodical=QX5C-AR31
Book|Book: book=c_2f33
Book|Thesis or Dissertation: thesis=c_46ec; bachelor thesis=c_7a1f; master thesis=c_bdcc
DoctoralDissertation|Thesis or Dissertation: doctoral thesis=c_db06
ConferenceProceeding|Presentation: conference proceedings=c_f744
ElectronicResource|Presentation: conference output=c_c94f; conference object=c_c94f; conference poster=c_6670; \
conference presentation=R60J-J5BD
ElectronicResource|Learning Material: learning object=c_e059
ElectronicResource|Data or Dataset: dataset=c_ddb1; aggregated data=ACF7-8YT9; clinical trial data=c_cb28; \
compiled data=FXF3-D3G7; encoded data=AM6W-6QAW; experimental data=63NG-B465; genomic data=A8F1-NPV9; \
geospatial data=2H0M-X761; measurement and test data=DD58-GFSX; observational data=FF4C-28RK; \
recorded data=CQMR-7K63; simulation data=W2XT-7017; survey data=NHD0-W6SY
ElectronicResource|Software: software=c_5ce6; source code=QH80-2R4E
ElectronicResource|Others: lecture=c_8544; interactive resource=c_e9a0; workflow=c_393c; research proposal=c_baaf; \
research protocol=YZ1N-ZFT9; knowledge synthesis protocol=DX5J-TA9R; laboratory notebook=H41Y-FW7B; \
knowledge organization system=GSZA-Y7V7
TechnicalReport|Research Paper: report=c_93fc; research report=c_18ws
TechnicalReport|Technical Report: technical report=c_18gh
TechnicalReport|Others: policy report=c_186u; working paper=c_8042; internal report=c_18ww; \
data management plan=c_ab20; technical documentation=c_71bd
Map|Others: cartographic material=c_12cc; map=c_12cd
MusicScore|Others: musical notation=c_18cw
MuseumMaterial|Others: physical sample=S7R1-K5P0; archival collection=YC9F-HGCF; research instrument=8KJG-QS0Y
Book|Others: manuscript=c_0040
Sound|Others: sound=c_18cc
MovingImage|Others: moving image=c_8a7e; video=c_12ce
StillImage|Others: image=c_c513; still image=c_ecc8; design=542X-3S04; artistic work=F8RT-TJK0
|Others: collection=RMP5-3GQ6; court documents=1YTN-RJZE; patent=c_15cd; design patent=C53B-JCY5; \
PCT application=SB3Y-W4EH; plant patent=Z907-YMBB; plant variety protection=GPQ7-G5VE; software patent=MW8G-3CR8; \
trademark=H6QP-SC1X; utility model=9DKX-KSAF; industrial design=JBNF-DYAD; layout design=BW7T-YM2G; \
transcription=6NC7-GK9S; other=c_1843
"""


def _resource_types() -> dict[str, ResourceType]:
    types = {}
    for line in _TYPES.strip().splitlines():
        head, _, terms = line.partition(": ")
        ndl, _, nii = head.partition("|")
        base = _DCMI if ndl in {"Sound", "MovingImage", "StillImage"} else _NDL
        for pair in terms.split("; "):
            term, _, code = pair.partition("=")
            types[term] = ResourceType(_COAR + code, base + ndl if ndl else "", nii)
    return types


RESOURCE_TYPES = _resource_types()
# Old term → term of the newest version, by WEKO's replacement table.
RENAMED_TYPES = {"periodical": "journal", "conference object": "conference output"}
_NEWEST_ONLY = "internal report,report part,interview"
REMOVED_TYPES = frozenset(_NEWEST_ONLY.split(","))  # in 1.0 only; "other" in later versions
# NDL type → the term to write, for records of other formats.
TERM_OF_NDL = {f"{_NDL}Article": "article", f"{_NDL}Book": "book", f"{_NDL}Journal": "journal"} | {
    f"{_NDL}{ndl}": term
    for ndl, term in (
        ("Newspaper", "newspaper"),
        ("DoctoralDissertation", "doctoral thesis"),
        ("ConferenceProceeding", "conference proceedings"),
        ("TechnicalReport", "technical report"),
        ("Map", "map"),
        ("MusicScore", "musical notation"),
        ("JapaneseClassicalBook", "book"),
        ("ChineseClassicalBook", "book"),
        ("Photograph", "still image"),
        ("PicturePostcard", "still image"),
        ("Painting", "still image"),
        ("Music", "sound"),
    )
}
TERM_OF_NDL |= {f"{_DCMI}Sound": "sound", f"{_DCMI}MovingImage": "moving image", f"{_DCMI}StillImage": "still image"}
THESES = frozenset({"thesis", "bachelor thesis", "master thesis", "doctoral thesis"})
DOCTORAL = "doctoral thesis"

_ACCESS = "http://purl.org/coar/access_right/"
ACCESS_RIGHTS = {
    "open access": f"{_ACCESS}c_abf2",
    "embargoed access": f"{_ACCESS}c_f1cf",
    "restricted access": f"{_ACCESS}c_16ec",
    "metadata only access": f"{_ACCESS}c_14cb",
}
ACCESS_BY_URI = {uri.rpartition("/")[2]: term for term, uri in ACCESS_RIGHTS.items()}

_VERSION = "http://purl.org/coar/version/"
VERSION_TYPES = {
    "AO": f"{_VERSION}c_b1a7d7d4d402bcce",
    "SMUR": f"{_VERSION}c_71e4c1898caa6e32",
    "AM": f"{_VERSION}c_ab4af688f83e57aa",
    "P": f"{_VERSION}c_fa2ee174bc00049f",
    "VoR": f"{_VERSION}c_970fb48d4fbd8a85",
    "CVoR": f"{_VERSION}c_e19f295774971610",
    "EVoR": f"{_VERSION}c_dc82b40f9837b551",
    "NA": f"{_VERSION}c_be7fb7dd8ff6fe43",
}
VERSION_BY_URI = {uri.rpartition("/")[2]: term for term, uri in VERSION_TYPES.items()}
RECORD_VERSIONS = frozenset({"VoR", "CVoR", "EVoR"})

# relationType → the closest DCMI term, as in Relation.type.
RELATION_TYPES = {
    term: term
    for term in (
        "isVersionOf hasVersion isPartOf hasPart isReferencedBy references isFormatOf hasFormat isReplacedBy replaces "
        "isRequiredBy requires"
    ).split()
} | {
    "inSeries": "isPartOf",
    "isCitedBy": "isReferencedBy",
    "cites": "references",
    "isSupplementedBy": "relation",
    "isSupplementTo": "relation",
    "isIdenticalTo": "relation",
    "isDerivedFrom": "relation",
    "isSourceOf": "relation",
    "isCollectedBy": "isPartOf",
    "collects": "hasPart",
    "continues": "replaces",
    "isContinuedBy": "isReplacedBy",
    "isTranslationOf": "isVersionOf",
    "hasTranslation": "hasVersion",
}
RENAMED_RELATIONS = {"Cites": "cites"}

# dateType → the local name in DC-NDL or DCMI terms, as in Date.type.
DATE_TYPES = {
    "Issued": "issued",
    "Accepted": "dateAccepted",
    "Available": "available",
    "Collected": "dateCollected",
    "Copyrighted": "dateCopyrighted",
    "Coverage": "coverage",
    "Created": "created",
    "Submitted": "dateSubmitted",
    "Updated": "modified",
    "Valid": "valid",
}
DATE_TYPE_OF = {name: kind for kind, name in DATE_TYPES.items()}

SUBJECT_SCHEMES = frozenset("BSH DDC e-Rad_field JEL LCC LCSH MeSH NDC NDLC NDLSH SciVal UDC Other".split())
DESCRIPTION_TYPES = {"Abstract": "abstracts", "TableOfContents": "contents"} | dict.fromkeys(
    ("Methods", "TechnicalInfo", "Other"), "notes"
)
CONTRIBUTOR_TYPES = frozenset(
    "ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Producer ProjectLeader "
    "ProjectManager ProjectMember RelatedPerson Researcher ResearchGroup Sponsor Supervisor Translator "
    "WorkPackageLeader Other".split()
)
RELATED_IDENTIFIERS = frozenset(
    "ARK arXiv CRID CSTR DOI HDL ICHUSHI ISBN J-GLOBAL Local PISSN EISSN ISSN NAID NCID PMID PURL RRID SCOPUS URI "
    "WOS".split()
)
REGISTRATION_AGENCIES = frozenset({"JaLC", "Crossref", "DataCite"})
FUNDER_IDENTIFIERS = frozenset({"Crossref Funder", "e-Rad_funder", "GRID", "ISNI", "ROR", "Other"})
OBJECT_TYPES = frozenset("abstract dataset fulltext iiif software summary thumbnail other".split())
RENAMED_SCHEMES = {"e-Rad": "e-Rad_Researcher"}
