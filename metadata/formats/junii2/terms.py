"""The vocabularies of junii2 3.1 and their equivalents in JPCOAR. Tables only."""

import re

from metadata.formats.jpcoar.names import NAME_SCHEMES

ETD = "ETD"
# NIItype → resource type. The official mapping is in the other direction and not unique.
NII_TYPES = {
    "Journal Article": "journal article",
    "Thesis or Dissertation": "thesis",
    "Departmental Bulletin Paper": "departmental bulletin paper",
    "Conference Paper": "conference paper",
    "Presentation": "conference output",
    "Book": "book",
    "Technical Report": "technical report",
    "Research Paper": "research report",
    "Article": "article",
    "Preprint": "other",
    "Learning Material": "learning object",
    "Data or Dataset": "dataset",
    "Software": "software",
    "Others": "other",
}
TEXT_VERSIONS = {"author": "AM", "publisher": "VoR", ETD: "VoR", "none": "NA"}
SCHEMES = ("NIIsubject", "NDC", "NDLC", "BSH", "NDLSH", "MeSH", "DDC", "LCC", "UDC", "LCSH")
RELATIONS = (
    "isVersionOf hasVersion isReplacedBy replaces isRequiredBy requires isPartOf hasPart isReferencedBy references "
    "isFormatOf hasFormat"
).split()
ONCE = frozenset(
    "NIItype URI selfDOI jtitle volume issue spage epage dateofissued pmid doi NAID ichushi textversion grantid "
    "dateofgranted degreename grantor".split()
)
# The order of the elements in junii2 3.1.
ORDER = (
    "title alternative creator subject NIIsubject NDC NDLC BSH NDLSH MeSH DDC LCC UDC LCSH description publisher "
    "contributor date type NIItype format identifier URI fullTextURL selfDOI isbn issn NCID jtitle volume issue spage "
    "epage dateofissued source language relation pmid doi NAID ichushi isVersionOf hasVersion isReplacedBy replaces "
    "isRequiredBy requires isPartOf hasPart isReferencedBy references isFormatOf hasFormat coverage spatial NIIspatial "
    "temporal NIItemporal rights textversion grantid dateofgranted degreename grantor"
).split()

_KATAKANA = re.compile(r"[ァ-ヶー・　 ，,]+\Z")
_HOSTS = {
    "orcid.org": "ORCID",
    "isni.org": "ISNI",
    "viaf.org": "VIAF",
    "nrid.nii.ac.jp": "NRID",
    "rns.nii.ac.jp": "NRID",
    "ci.nii.ac.jp/author": "AID",
}


def is_katakana(text: str) -> bool:
    """Whether the text is only katakana and the punctuation between names."""
    return _KATAKANA.match(text) is not None


def person_scheme(sent: str, bare: str) -> str:
    """Return the scheme of a creator's id attribute, by its host or its form; "" if neither shows it."""
    for host, scheme in _HOSTS.items():
        if host in sent:
            return scheme
    return next((name for name in ("ORCID", "ISNI", "AID", "NRID") if re.fullmatch(NAME_SCHEMES[name].form, bare)), "")


_MEDIA = "application|audio|font|image|message|model|multipart|text|video|example"
# Element → code of the issue, and the form that the text must have (from masao/junii-validator and IRDB).
FORMS = {
    name: (code, re.compile(form))
    for names, code, form in (
        ("NDC", "junii2.E008", r"[0-9]{1,3}(?:\.[0-9]+)?"),
        ("NDLC DDC LCC UDC", "junii2.W008", r"[\w.]+"),
        (
            "format",
            "junii2.W009",
            rf"(?:{_MEDIA})/[\w.+-]+",
        ),
        ("selfDOI doi", "junii2.W010", r"info:doi/10\..+"),
        ("pmid", "junii2.W010", r"info:pmid/[0-9]+"),
        ("NAID", "junii2.W010", r"https?://ci\.nii\.ac\.jp/naid/[0-9]+/?"),
        ("ichushi", "junii2.W010", r"https?://search\.jamas\.or\.jp/link/ui/.+"),
        ("isbn", "junii2.W011", r"[0-9][0-9-]*[0-9X]"),
        ("volume issue", "junii2.W013", r"\w?[0-9\-/.]+"),
        ("spage epage", "junii2.W013", r"[\w.\-]+"),
        ("fullTextURL", "junii2.E023", r"https?://[^\s/].*"),
    )
    for name in names.split()
}
ETD_NEEDS = ("fullTextURL", "grantid", "dateofgranted", "degreename", "grantor")
GRANT_NUMBER = re.compile(r"[0-9]{5}(?:.*第.*[0-9]+号|[ABZ][0-9]+)\Z")
AGENCIES = frozenset({"JaLC", "CrossRef", "Crossref", "DataCite"})
