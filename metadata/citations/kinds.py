"""The kind of publication that a record describes, as citation formats distinguish them. Pure; tables, no format.

The types of NDL's list are coarse (a data set is 電子資料, a master's thesis 図書). So the provider's own term is used
first, which the record keeps as the label of the type.
"""

import re

from metadata.record import BibliographicRecord

BOOK, CHAPTER, ARTICLE, PAPER, PROCEEDINGS = "book", "chapter", "article", "paper", "proceedings"
DOCTORAL, MASTER, THESIS = "doctoral thesis", "master's thesis", "thesis"
REPORT, JOURNAL, NEWSPAPER, NEWS, DATASET, SOFTWARE = (
    "report",
    "journal",
    "newspaper",
    "news",
    "dataset",
    "software",
)
MAP, SCORE, SOUND, VIDEO, IMAGE, OBJECT, LAW = "map", "score", "sound", "video", "image", "object", "law"
LECTURE, DOCUMENT = "lecture", "document"
THESES = frozenset((DOCTORAL, MASTER, THESIS))


def kind_of(record: BibliographicRecord) -> str:
    """Return one of the kinds above; DOCUMENT if nothing indicates one."""
    kind = _by_type(record)
    if kind not in THESES and (record.degree_names or record.degree_grantors or record.dissertation_numbers):
        return _by_degree(record)
    if record.host.title:
        return _WITH_HOST.get(kind, kind) if kind != ARTICLE or not _in_book(record) else CHAPTER
    if kind == DOCUMENT and record.values("ISBN"):
        return BOOK
    return kind


def is_electronic(record: BibliographicRecord) -> bool:
    """Whether the record has files, the type 電子資料, or a media type as format and no height in centimetres."""
    types = {type_.uri.rpartition("/")[2] for type_ in record.material_types}
    if record.files or "ElectronicResource" in types:
        return True
    return any(map(_MEDIA_TYPE.match, record.formats)) and not any(map(_HEIGHT.search, record.extents))


def _by_type(record: BibliographicRecord) -> str:
    """The most specific type of the record: a map that is also a 政府刊行物 is a map."""
    labels = {_fold(type_.label) for type_ in record.material_types}
    names = {type_.uri.rpartition("/")[2] for type_ in record.material_types}
    found = next((kind for kind, words in _BY_LABEL.items() if not labels.isdisjoint(words)), "")
    return found or next((kind for name, kind in _BY_NAME.items() if name in names), DOCUMENT)


def _by_degree(record: BibliographicRecord) -> str:
    degrees = " ".join(record.degree_names).lower()
    for kind, words in ((DOCTORAL, ("博士", "doctor", "ph.d", "phd")), (MASTER, ("修士", "master"))):
        if any(word in degrees for word in words):
            return kind
    return DOCTORAL if record.dissertation_numbers else THESIS  # only doctoral theses have a 学位授与番号


def _in_book(record: BibliographicRecord) -> bool:
    return not record.host.issn and any(identifier.scheme == "ISBN" for identifier in record.host.identifiers)


def _fold(label: str) -> str:
    return _PREFIX.sub("", label.lower()).replace("-", "").replace("_", "").replace(" ", "")


_PREFIX = re.compile(r"\A(?:info:eu-repo/semantics/|https?://purl\.org/\S*/|doc-type:)")
# "178p ; 15cm": the resource is on paper, and the media type is that of a web page about it.
_HEIGHT = re.compile(r"[0-9] ?(?:cm|㎝|センチ)")
_MEDIA_TYPE = re.compile(r"(?:application|audio|image|text|video)/")

_BY_LABEL = {
    kind: frozenset(words.split())
    for kind, words in {
        DOCTORAL: "doctoralthesis doctoraldissertation 博士論文",
        MASTER: "masterthesis master'sthesis 修士論文",
        THESIS: "thesis bachelorthesis thesisordissertation 学位論文 卒業論文",
        DATASET: "dataset dataordataset aggregateddata clinicaltrialdata compileddata experimentaldata genomicdata "
        "geospatialdata laboratorynotebook measurementandtestdata observationaldata recordeddata simulationdata "
        "surveydata データセット",
        SOFTWARE: "software sourcecode researchsoftware ソフトウェア",
        CHAPTER: "bookpart bookchapter",
        PAPER: "conferencepaper conferenceproceeding conferenceposter conferenceoutput conferenceobject 会議発表論文",
        LECTURE: "conferencepresentation presentation lecture",
        NEWS: "newspaperarticle",
    }.items()
}
# The order matters: the most specific type first.
_BY_NAME = {
    "DoctoralDissertation": DOCTORAL,
    "Map": MAP,
    "MusicScore": SCORE,
    "Article": ARTICLE,
    "MovingImage": VIDEO,
    "DVD": VIDEO,
    "Sound": SOUND,
    "Music": SOUND,
    "SoundDisc": SOUND,
    "ConferenceProceeding": PROCEEDINGS,
    "TechnicalReport": REPORT,
    "Newspaper": NEWSPAPER,
    "Journal": JOURNAL,
    "Book": BOOK,
    "JapaneseClassicalBook": BOOK,
    "ChineseClassicalBook": BOOK,
    "Photograph": IMAGE,
    "Painting": IMAGE,
    "PicturePostcard": IMAGE,
    "StillImage": IMAGE,
    "MuseumMaterial": OBJECT,
    "LegislativeInformation": LAW,
    "GovernmentPublication": BOOK,
    "NationalPublication": BOOK,
}
# A record that names a host publication describes a part of it, whatever its type says.
_WITH_HOST = {
    DOCUMENT: ARTICLE,
    JOURNAL: ARTICLE,
    NEWSPAPER: NEWS,
    PROCEEDINGS: PAPER,
}
