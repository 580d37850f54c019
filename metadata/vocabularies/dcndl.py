"""Controlled values of DC-NDL and Dublin Core: types, schemes, URI patterns, languages. Tables."""

import re
from typing import NamedTuple
from urllib.parse import quote

from metadata.text.languages import in_language
from metadata.vocabularies.namespaces import DCNDL, DCTERMS


class Label(NamedTuple):
    """A term in Japanese and English."""

    ja: str
    en: str

    def in_language(self, language: str | None) -> str:
        """Return the term for readers of a language."""
        return in_language(language, self.ja, self.en)


_NDL = "http://ndl.go.jp/ndltype/"
_DCMI = "http://purl.org/dc/dcmitype/"

# NDL type list ver. 1.1 (2012-09-03), which NDL guideline 2.1.2 (6) prescribes.
MATERIAL_TYPES = {
    f"{_NDL}Book": Label("図書", "Book"),
    f"{_NDL}Article": Label("記事・論文", "Article"),
    f"{_NDL}Journal": Label("雑誌", "Journal"),
    f"{_NDL}Newspaper": Label("新聞", "Newspaper"),
    f"{_DCMI}Sound": Label("録音資料", "Sound recording"),
    f"{_DCMI}MovingImage": Label("映像資料", "Moving image"),
    f"{_NDL}ElectronicResource": Label("電子資料", "Electronic resource"),
    f"{_NDL}Map": Label("地図", "Map"),
    f"{_NDL}MusicScore": Label("楽譜", "Music score"),
    f"{_DCMI}StillImage": Label("静止画資料", "Still image"),
    f"{_NDL}JapaneseClassicalBook": Label("和古書", "Japanese classical book"),
    f"{_NDL}ChineseClassicalBook": Label("漢籍", "Chinese classical book"),
    f"{_NDL}GovernmentPublication": Label("政府刊行物", "Government publication"),
    f"{_NDL}DoctoralDissertation": Label("博士論文", "Doctoral dissertation"),
    f"{_NDL}ConferenceProceeding": Label("会議録", "Conference proceedings"),
    f"{_NDL}TechnicalReport": Label("規格・テクニカルリポート類", "Technical report or standard"),
    f"{_NDL}MaterialsForVisuallyHandicappedPeople": Label("視覚障害者向け資料", "For people with impaired vision"),
    f"{_NDL}MuseumMaterial": Label("博物資料", "Museum material"),
    f"{_NDL}LegislativeInformation": Label("立法情報", "Legislative information"),
    f"{_NDL}ReferenceInformation": Label("参考情報", "Reference information"),
    # Not in ver. 1.1, but in the output of NDL Search.
    f"{_NDL}NationalPublication": Label("官公庁刊行物", "National government publication"),
    f"{_NDL}PicturePostcard": Label("絵はがき", "Picture postcard"),
    f"{_NDL}Music": Label("音楽", "Music"),
    f"{_NDL}Photograph": Label("写真", "Photograph"),
    f"{_NDL}Painting": Label("絵画", "Painting"),
    f"{_NDL}DVD": Label("DVD", "DVD"),
    f"{_NDL}Braille": Label("点字", "Braille"),
    f"{_NDL}SoundDisc": Label("DVD・CD", "DVD or CD"),
    f"{_NDL}MicroForm": Label("マイクロ資料", "Microform"),
}

# URIs that occur in place of a URI of the list.
MATERIAL_TYPE_ALIASES = {f"{_DCMI}SoundDisc": f"{_NDL}SoundDisc"}

# Types as repositories write them (COAR, DCMI, info:eu-repo, NII, DSpace), folded to lower case without blanks.
# There is no official table; this one is the project's own. Types that are not listed are kept as text only.
_TYPES_ELSEWHERE = {
    "Article": "article journalarticle magazinearticle reviewarticle editorial datapaper softwarepaper preprint "
    "departmentalbulletinpaper conferencepaper commentary researcharticle bookpart reportpart review",
    "Journal": "journal periodical otherperiodical",
    "Newspaper": "newspaper",
    "Book": "book thesis bachelorthesis masterthesis thesisordissertation",
    "DoctoralDissertation": "doctoralthesis",
    "ConferenceProceeding": "conferenceproceedings",
    "ElectronicResource": "conferenceoutput conferencepresentation conferenceposter conferenceobject presentation "
    "lecture learningobject learningmaterial researchproposal dataset software sourcecode "
    "interactiveresource workflow dataordataset",
    "TechnicalReport": "report researchreport technicalreport policyreport workingpaper internalreport "
    "datamanagementplan researchpaper",
    "Map": "map cartographicmaterial",
    "MusicScore": "musicalnotation musicalscore",
    "MuseumMaterial": "physicalobject archivalcollection",
}
_TYPES_ELSEWHERE_DCMI = {
    "Sound": "sound recording,acoustical",
    "MovingImage": "movingimage video",
    "StillImage": "stillimage image photograph design artisticwork",
}
_FOLDED_TYPES = {word: f"{_NDL}{name}" for name, words in _TYPES_ELSEWHERE.items() for word in words.split()}
_FOLDED_TYPES |= {word: f"{_DCMI}{name}" for name, words in _TYPES_ELSEWHERE_DCMI.items() for word in words.split()}
_FOLDED_TYPES |= {label.ja.lower(): uri for uri, label in MATERIAL_TYPES.items()}
_BEFORE_TYPE = re.compile(r"\A(?:info:eu-repo/semantics/|https?://purl\.org/\S*/)")


def material_type_uri(text: str) -> str:
    """Return the URI of the NDL type for a type of another vocabulary or a label; "" if there is none."""
    if text in MATERIAL_TYPES:
        return text
    return _FOLDED_TYPES.get(folded_type(text), "")


def folded_type(text: str) -> str:
    """Return a type in one spelling for all vocabularies: "bookpart" for "info:eu-repo/semantics/bookPart"."""
    return _BEFORE_TYPE.sub("", text).lower().translate({32: None, 45: None, 95: None})


_REPOSITORY_NUMBER = re.compile(r"R[0-9]{9}")


def is_repository_number(text: str) -> bool:
    """Whether the text is R and nine digits (NDL guideline 2.1.2 (4))."""
    return _REPOSITORY_NUMBER.fullmatch(text) is not None


# Schemes of identifiers that the provider itself marks as wrong -> the scheme that they should have had.
DECLARED_WRONG = {"ErrorISBN": "ISBN", "IncorrectISSN": "ISSN", "IncorrectISSNL": "ISSNL"}

# Datatypes of NDL Metadata Terms and NDL Search for numbers of a resource, with those for wrong numbers.
IDENTIFIER_SCHEMES = frozenset(
    "BRNO CODEN DOI ErrorISBN GPOBibNO GPOCN ICNO ISBN ISMN ISRN ISSN ISSNL IncorrectISSN IncorrectISSNL JPNO "
    "KAKENHINO KNMARCNO NCNO NDLBibID NDLJP NIIBibID NSMARCNO OCLCNO OPLMARCNO PBNO PLNO RIS502 RLINNO SICI SUPTDOC "
    "SetISBN StandardNO TOHANMARCNO TRCMARCNO TRNO UKMARCNO UNDS UNSN URI USMARCNO somokuBibID somokuSubID".split()
)

# Carrier types that NDL's feeds give beside the material type. They are not in the type list.
CARRIER_WORDS = frozenset({"紙", "デジタル", "記録メディア", "マイクロ", "その他", "未分類"})

# Datatypes in DCMI's namespace; all others are in NDL's.
_DCMI_DATATYPES = frozenset({"W3CDTF", "ISO639-2", "ISO3166", "IMT", "LCC", "DDC", "UDC", "URI", "Period"})

# URIs in rdfs:seeAlso that only repeat an identifier (NDL guideline, table 2-1, and records of providers).
ID_URIS = {
    "ISBN": "http://iss.ndl.go.jp/isbn/",
    "ISSN": "http://iss.ndl.go.jp/issn/",
    "ISSNL": "http://iss.ndl.go.jp/issnl/",
    "JPNO": "http://id.ndl.go.jp/jpno/",
    "NDLBibID": "http://id.ndl.go.jp/bib/",
    "DOI": "https://doi.org/",
}
_ID_URI = re.compile(
    r"https?://(iss\.ndl\.go\.jp/isbn|iss\.ndl\.go\.jp/issnl?|id\.ndl\.go\.jp/jpno|id\.ndl\.go\.jp/bib"
    r"|lccn\.loc\.gov|(?:dx\.)?doi\.org)/(.+)"
)
_ID_URI_SCHEMES = {
    "iss.ndl.go.jp/isbn": "ISBN",
    "iss.ndl.go.jp/issn": "ISSN",
    "iss.ndl.go.jp/issnl": "ISSNL",
    "id.ndl.go.jp/jpno": "JPNO",
    "id.ndl.go.jp/bib": "NDLBibID",
    "lccn.loc.gov": "USMARCNO",
    "doi.org": "DOI",
    "dx.doi.org": "DOI",
}


def identifier_in_uri(uri: str) -> tuple[str, str] | None:
    """Return (scheme, value as written) of a URI that only repeats an identifier; None for any other URI."""
    match = _ID_URI.match(uri)
    return (_ID_URI_SCHEMES[match[1]], match[2]) if match else None


# Schemes whose classes have URIs, and the pattern of these URIs.
CLASS_SCHEMES = frozenset({"NDC8", "NDC9", "NDC10", "NDLC", "DDC"})
CLASS_URI = re.compile(r"https?://(?:id\.ndl\.go\.jp/class/(ndc8|ndc9|ndc10|ndlc)|(dewey)\.info/class)/([^/]*)")
_CLASSES_AT_NDL = CLASS_SCHEMES - {"DDC"}  # dewey.info no longer exists


def class_uri(scheme: str, number: str) -> str:
    """Return NDL's URI of a class: of NDC8, NDC9, NDC10 and NDLC; "" for other schemes."""
    has_uri = scheme in _CLASSES_AT_NDL and number
    return f"http://id.ndl.go.jp/class/{scheme.lower()}/{quote(number, safe='')}" if has_uri else ""


# Beginnings of the URIs of subject headings -> their scheme.
HEADING_URIS = {
    "id.ndl.go.jp/auth/ndlsh/": "NDLSH",
    "id.ndl.go.jp/auth/ndlgft/": "NDLGFT",
    "id.loc.gov/authorities/subjects/": "LCSH",
}

# Values of Relation.type: local names of dcterms for links to other resources.
RELATION_TYPES = (
    "relation",
    "source",
    "isPartOf",
    "hasPart",
    "isVersionOf",
    "hasVersion",
    "isFormatOf",
    "hasFormat",
    "replaces",
    "isReplacedBy",
    "references",
    "isReferencedBy",
    "requires",
    "isRequiredBy",
    "conformsTo",
)

# Values of Date.type, for dates other than that of publication -> the element written for them.
DATE_TYPES = {
    **{
        name: f"dcterms:{name}"
        for name in "issued dateAccepted dateCopyrighted dateSubmitted created available valid modified".split()
    },
    **{name: f"dcndl:{name}" for name in ("dateDigitized", "dateCaptured", "dateGranted")},
}


def relation_element(kind: str) -> str:
    """Return the element for a Relation.type. Records from JSON may have any text there, which becomes "relation"."""
    return f"dcterms:{kind if kind in RELATION_TYPES else 'relation'}"


def datatype(name: str) -> str:
    """Return the URI of an rdf:datatype from its last segment."""
    return f"{DCTERMS if name in _DCMI_DATATYPES else DCNDL}{name}"


# ISO 639-1 codes and English names -> ISO 639-2, as far as providers use them; ISO 639-2/T -> /B, which NDL uses.
_LANGUAGES = (
    "ja jpn japanese,en eng english,de ger german,fr fre french,zh chi chinese,ko kor korean,it ita italian,"
    "es spa spanish,ru rus russian,pt por portuguese,nl dut dutch,la lat latin,el gre greek,ar ara arabic,"
    "he heb hebrew,hi hin hindi,th tha thai,vi vie vietnamese,id ind indonesian,ms may malay,tr tur turkish,"
    "pl pol polish,cs cze czech,sk slo slovak,hu hun hungarian,ro rum romanian,bg bul bulgarian,uk ukr ukrainian,"
    "sv swe swedish,no nor norwegian,da dan danish,fi fin finnish,is ice icelandic,fa per persian,mn mon mongolian,"
    "sa san sanskrit,uz uzb uzbek,ca cat catalan,hr hrv croatian,sr srp serbian,sl slv slovenian,et est estonian,"
    "lv lav latvian,lt lit lithuanian,ka geo georgian,hy arm armenian,ta tam tamil,bn ben bengali,ur urd urdu,"
    "my bur burmese,km khm khmer,lo lao lao,ne nep nepali,tl tgl tagalog,sw swa swahili,af afr afrikaans,"
    "ga gle irish,cy wel welsh,eu baq basque,mk mac macedonian,sq alb albanian,bo tib tibetan,eo epo esperanto"
)
LANGUAGES = {
    name: code
    for code, name in ((group.split(" ")[1], name) for group in _LANGUAGES.split(",") for name in group.split(" "))
}
LANGUAGES |= {
    "deu": "ger",
    "fra": "fre",
    "zho": "chi",
    "nld": "dut",
    "ell": "gre",
    "msa": "may",
    "ces": "cze",
    "slk": "slo",
    "ron": "rum",
    "isl": "ice",
    "fas": "per",
    "kat": "geo",
    "hye": "arm",
    "mya": "bur",
    "cym": "wel",
    "eus": "baq",
    "mkd": "mac",
    "sqi": "alb",
    "bod": "tib",
    "日本語": "jpn",
    "英語": "eng",
    "中国語": "chi",
    "韓国語": "kor",
}


def language_code(text: str) -> str:
    """Return the ISO 639-2 code of a language as received ("ja", "en_US", "English"); "" if unknown.

    Any three small letters count as a code, known or not.
    """
    if len(text) == 3 and text.isascii() and text.islower():
        return LANGUAGES.get(text, text)
    folded = text.lower()
    return LANGUAGES.get(folded) or LANGUAGES.get(folded.replace("_", "-").partition("-")[0], "")
