"""The vocabularies of JPCOAR 1.0, 2.0 and 2.1 and their equivalents in DC-NDL, but for the resource types. Tables only.

From the element list and vocabularies of JPCOAR/schema 86b4ad5.
"""

_NDL = "http://ndl.go.jp/ndltype/"
_DCMI = "http://purl.org/dc/dcmitype/"

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
