"""Classes and headings of a MARC record, in the schemes of DC-NDL."""

from metadata.formats.common.base import Draft
from metadata.formats.marc.codes import OWN_TYPES
from metadata.formats.marc.fields import Field, Forms, MarcRecord, without_isbd_marks
from metadata.formats.marc.names import authority_uri
from metadata.record import MaterialType, Subject
from metadata.vocabularies.dcndl import class_uri

THESAURI = {"0": "LCSH", "1": "LCSHAC", "2": "MeSH", "3": "NAL", "5": "CSH", "6": "RVM"}  # ind2; 7 = named in $2
_NDL_URIS = {"NDLSH": "http://id.ndl.go.jp/auth/ndlsh/", "NDLGFT": "http://id.ndl.go.jp/auth/ndlgft/"}
CLASS_SOURCES = {"NDLC": "kktb", "NDC": "njb", "NDC8": "njb/08", "NDC9": "njb/09", "NDC10": "njb/10"}
_CLASS_SOURCES = {source: scheme for scheme, source in CLASS_SOURCES.items()}
_CLASS_SOURCES |= {"njb/06": "NDC", "njb/07": "NDC", "ndc": "NDC", "ndlc": "NDLC", "udc": "UDC"}
_CLASS_SOURCES |= {f"ndc{edition}": f"NDC{edition}" for edition in (8, 9, 10)}
CLASS_TAGS = {"DDC": "082", "UDC": "080", "LCC": "050"}
CLASSES = {"084": "", **{tag: scheme for scheme, tag in CLASS_TAGS.items()}}
HEADINGS = ("600", "610", "611", "630", "647", "648", "650", "651", "689")
_SPELLINGS = {"mesh": "MeSH", "niisubject": "NIISubject"}


def read_classes(marc: MarcRecord, draft: Draft) -> None:
    for field in marc.fields(*CLASSES):
        scheme = CLASSES[field.tag] or _CLASS_SOURCES.get(field.first("2").strip().lower(), "")
        values = [field.join("ab")] if scheme == "LCC" else field.all("a")
        numbers = filter(None, (_number(field, value, scheme) for value in values))
        if scheme:
            draft.fields["subjects"] += [
                Subject(value=number, scheme=scheme, uri=class_uri(scheme, number)) for number in numbers
            ]


def read_headings(marc: MarcRecord, draft: Draft) -> None:
    for forms in marc.forms(*HEADINGS, "653"):
        draft.fields["subjects"] += _keywords(forms) if forms.main.tag == "653" else _heading(forms)


def read_genres(marc: MarcRecord, draft: Draft) -> None:
    for forms in marc.forms("655"):
        if forms.main.first("2").lower() == OWN_TYPES:
            draft.fields["material_types"].append(_type(forms.main))
        else:
            draft.fields["genres"] += _heading(forms)


def keep_once(draft: Draft) -> None:
    subjects: dict[tuple[str, str], Subject] = {}
    for subject in draft.fields["subjects"]:
        subjects.setdefault((subject.scheme, subject.value), subject)
    draft.fields["subjects"] = list(subjects.values())


def _type(field: Field) -> MaterialType:
    return MaterialType(uri=field.first("0"), label=field.first("a"))


def _number(field: Field, value: str, scheme: str) -> str:
    """Return a class number without the mark where a DDC number may be cut ("004.678/094") and without apostrophes."""
    return field.clean(value.replace("/", "").replace("'", "") if scheme == "DDC" and field.isbd else value)


def _heading(forms: Forms) -> list[Subject]:
    value = _text(forms.main)
    if not value:
        return []
    scheme = scheme_of(forms.main)
    reading = _text(forms.reading) if forms.reading else ""
    return [Subject(value=value, scheme=scheme, transcription=reading, uri=_uri(forms.main, scheme))]


def scheme_of(field: Field) -> str:
    if field.tag == "689":
        return "GND"
    sent = field.first("2")
    named = _SPELLINGS.get(sent.lower(), sent.upper())
    return named if field.ind2 == "7" else THESAURI.get(field.ind2, "")


def _text(field: Field) -> str:
    """Return the heading with its subdivisions, joined as NDLSH and LCSH print them: "電子書籍--日本".

    With ISBD punctuation the parts of a name bring their own commas and are joined with spaces, otherwise with ", ".
    """
    main = field.clean(field.join("abcdnptq", " " if field.isbd else ", "))
    return "--".join(filter(None, (main, *map(field.clean, field.all("vxyz")))))


def _uri(field: Field, scheme: str) -> str:
    """Return the URI that follows from the number of the authority record, else a URL, which may be only a page."""
    known = authority_uri(field)
    if known:
        return known
    for text in field.all("01"):
        if text.startswith(("http://", "https://")):
            return text
        if text.isdigit() and scheme in _NDL_URIS:
            return f"{_NDL_URIS[scheme]}{text}"
    return ""


def _keywords(forms: Forms) -> list[Subject]:
    """Read uncontrolled keywords. NDL writes several into one subfield."""
    if forms.main.isbd:
        texts = [text for sent in forms.main.all("a") for text in map(without_isbd_marks, sent.split(" / ")) if text]
        return [Subject(value=text) for text in texts]
    return [Subject(value=text, transcription=reading) for text, reading in forms.with_readings("a")]
