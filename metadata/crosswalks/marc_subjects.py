"""Classes and headings of a MARC record, in DC-NDL's schemes."""

from metadata.crosswalks.base import Draft
from metadata.crosswalks.marc_fields import Field, Forms, MarcRecord, bare
from metadata.record import Subject

_THESAURI = {"0": "LCSH"}  # second indicator; 7 = named in $2
_NDLSH_URI = "http://id.ndl.go.jp/auth/ndlsh/"
_CLASS_SOURCES = {"kktb": "NDLC", "njb": "NDC", "njb/06": "NDC", "njb/07": "NDC", "ndc": "NDC", "udc": "UDC"}
_CLASS_SOURCES |= {f"njb/{edition:02}": f"NDC{edition}" for edition in (8, 9, 10)}
_CLASS_SOURCES |= {f"ndc{edition}": f"NDC{edition}" for edition in (8, 9, 10)}


def settle_subjects(marc: MarcRecord, draft: Draft) -> None:
    found: dict[tuple[str, str], Subject] = {}
    for each in (*_classes(marc), *_headings(marc), *_keywords(marc)):
        found.setdefault((each.scheme, each.value), each)
    draft.fields["subjects"] = list(found.values())
    draft.fields["genres"] += [each for forms in marc.forms("655") for each in _heading(forms)]


def _classes(marc: MarcRecord) -> list[Subject]:
    found = []
    for tag, scheme in (("084", ""), ("082", "DDC"), ("080", "UDC"), ("050", "LCC")):
        for field in marc.each(tag):
            kind = scheme or _CLASS_SOURCES.get(field.first("2").strip().lower(), "")
            values = [bare(field.join("ab"))] if scheme == "LCC" else field.all("a")
            if kind:
                found += [Subject(value=_number(value, kind), scheme=kind) for value in values if _number(value, kind)]
    return found


def _number(value: str, scheme: str) -> str:
    """DDC numbers carry a mark where they may be cut ("004.678/094"), and sometimes a table's bracket."""
    return bare(value.replace("/", "").replace("'", "")) if scheme == "DDC" else bare(value)


def _headings(marc: MarcRecord) -> list[Subject]:
    tags = ("600", "610", "611", "630", "648", "650", "651")
    return [each for forms in marc.forms(*tags) for each in _heading(forms)]


def _heading(forms: Forms) -> list[Subject]:
    value = _text(forms.main)
    if not value:
        return []
    scheme = forms.main.first("2").upper() if forms.main.ind2 == "7" else _THESAURI.get(forms.main.ind2, "")
    reading = _text(forms.reading) if forms.reading else ""
    return [Subject(value=value, scheme=scheme, transcription=reading, uri=_uri(forms.main, scheme))]


def _text(field: Field) -> str:
    """The heading with its subdivisions, joined as NDLSH and LCSH print them: "電子書籍--日本"."""
    main = bare(field.join("abcdnptq"))
    return "--".join(filter(None, (main, *map(bare, field.all("vxyz")))))


def _uri(field: Field, scheme: str) -> str:
    number = field.first("0")
    if number.startswith(("http://", "https://")):
        return number
    return f"{_NDLSH_URI}{number}" if scheme == "NDLSH" and number.isdigit() else ""


def _keywords(marc: MarcRecord) -> list[Subject]:
    texts = (text for field in marc.each("653") for text in field.all("a"))
    return [Subject(value=value) for text in texts for value in map(bare, text.split(" / ")) if value]
