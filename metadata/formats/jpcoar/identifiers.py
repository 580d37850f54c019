"""Identifiers of JPCOAR: numbers, pages, and identifiers of the host (the publication that contains the record).

Invalid identifiers are stored in a field of their own and never used for matching.
"""

import re
from uuid import NAMESPACE_URL, uuid5

from metadata.formats.common.base import NO_HOST, Draft, unique
from metadata.formats.common.codes import identifier_as_sent
from metadata.formats.jpcoar.names import names_by_language
from metadata.formats.jpcoar.terms import REGISTRATION_AGENCIES
from metadata.identifiers import normalise
from metadata.issue import where
from metadata.record import BibliographicRecord, Host, Identifier, Title

ELEMENT, SOURCE, REGISTRATION = "jpcoar:identifier", "jpcoar:sourceIdentifier", "jpcoar:identifierRegistration"
TYPE = "identifierType"
DOI_URL = "https://doi.org/"
UUID_PREFIX = "urn:uuid:"
_DERIVED_UUID = re.compile(rf"{UUID_PREFIX}[0-9a-f]{{8}}-[0-9a-f]{{4}}-5[0-9a-f]{{3}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}")
_DOI_URL = re.compile(r"https?://doi\.org/10\.")
_BARE_DOI = re.compile(r"10\.[0-9.]+/\S+\Z")
_HANDLE = re.compile(r"https?://hdl\.handle\.net/")
_NCID = re.compile(r"(?:AA|AN|BA|BB|BN|BC|BD)[0-9]{7}[0-9X]\Z")
_KINDS = frozenset({"DOI", "HDL", "URI"})
_ISSN_KINDS = frozenset({"PISSN", "EISSN", "ISSN"})
# Words that people type into volume and issue, though the element says it: "第12巻", "Vol. 12", "no.3".
_WORDS = re.compile(r"年|vol|巻|号|issue", re.IGNORECASE)
_NUMBER = re.compile(r"[^0-9]*([0-9]+)[^0-9]*\Z")


def is_url(value: str) -> bool:
    return value.startswith(("http://", "https://"))


def settle_identifiers(draft: Draft) -> None:
    """Sort the record's own identifiers: a DOI is a number; handles come before other pages, files come last."""
    fields = draft.fields
    valid: dict[str, Identifier] = {}
    handles: list[str] = []
    pages: list[str] = []
    for scheme, value in filter(_says_something, fields.pop("identifiers", ())):
        if scheme not in _KINDS:
            draft.note("jpcoar.E111" if scheme == "PMID" else "jpcoar.E010", where(ELEMENT, TYPE, scheme), value)
        if scheme == "DOI" or _DOI_URL.match(value):
            _doi(value, valid, draft)
        elif _HANDLE.match(value):
            handles.append(value)
        elif is_url(value):
            pages.append(value)
            if scheme == "HDL":
                draft.note("jpcoar.E010", where(ELEMENT, TYPE, scheme), value)
        else:
            if scheme in _KINDS:
                draft.note("jpcoar.E010", where(ELEMENT, TYPE, scheme), value)
            fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=value))
    _settle_registrations(valid, draft)
    files = [file.uri for file in fields.get("files", ()) if file.type == "fulltext" and is_url(file.uri)]
    fields["see_also"] = list(unique([*handles, *pages, *files]))
    fields["identifiers"] = list(valid.values())


def derived_uuid(record: BibliographicRecord) -> str:
    """Return an identifier for a record without any, where a format requires one: it follows from the content."""
    return UUID_PREFIX + str(uuid5(NAMESPACE_URL, repr(record)))


def _says_something(identifier: tuple[str, str]) -> bool:
    """Whether this is no identifier that `derived_uuid` made."""
    return _DERIVED_UUID.fullmatch(identifier[1]) is None


def _doi(value: str, valid: dict[str, Identifier], draft: Draft) -> None:
    doi = normalise("DOI", value)
    if not doi:
        draft.note("jpcoar.E010", where(ELEMENT, TYPE, "DOI"), value)
        draft.fields["invalid_identifiers"].append(Identifier(scheme="DOI", value=value))
        return
    if not _DOI_URL.match(value):
        draft.note("jpcoar.N010", where(ELEMENT, TYPE, "DOI"), value, f"{DOI_URL}{doi}")
    bare = value[value.lower().index(doi) :] if doi in value.lower() else doi
    valid.setdefault(doi, identifier_as_sent("DOI", doi, bare))


def _settle_registrations(valid: dict[str, Identifier], draft: Draft) -> None:
    """Settle the DOI that an agency registers. It also becomes the DOI of the record if the record has no other."""
    registrations = []
    for agency, value in draft.fields.pop("registrations", ()):
        doi = normalise("DOI", value)
        if agency == "PMID":
            draft.note("jpcoar.E111", where(REGISTRATION, TYPE, agency), value)
            registrations.append(Identifier(scheme=agency, value=value))
            continue
        if agency not in REGISTRATION_AGENCIES:
            draft.note("doi.E001", f"{REGISTRATION}/@identifierType", agency)
            agency = ""
        if not doi:
            draft.note("jpcoar.E011", REGISTRATION, value)
            draft.fields["invalid_identifiers"].append(Identifier(scheme="DOI", value=value))
            continue
        if not _BARE_DOI.match(value):
            draft.note("jpcoar.E011", REGISTRATION, value)
        if doi not in valid:
            draft.note("jpcoar.W011", REGISTRATION, value)
        bare = value[value.lower().index(doi) :] if doi in value.lower() else doi
        registrations += [identifier_as_sent(agency, doi, bare)] if agency else []
        if not valid:
            valid[doi] = identifier_as_sent("DOI", doi, bare)
    draft.fields["registrations"] = registrations


def look_at_files(draft: Draft) -> None:
    files = draft.fields.get("files", ())
    draft.fields["thumbnails"] = list(unique(file.uri for file in files if file.type == "thumbnail" and file.uri))
    draft.fields["formats"] = list(unique(file.media_type for file in files if file.media_type))


def settle_host(draft: Draft) -> None:
    """Give titles and numbers of the host to it. Its ISSN is not one of the record, which is not matched by it."""
    titles: list[Title] = draft.fields.pop("host_titles", [])
    numbers = draft.fields.pop("host_identifiers", [])
    issn, others = _host_identifiers(numbers, draft)
    names = names_by_language(titles)
    other_titles = () if names is None else names.others
    if names and names.transcription:
        other_titles = (Title(value=names.transcription, language="ja-Kana"), *other_titles)
    host = Host(
        title=names.value if names else "",
        language=names.language if names else "",
        titles=other_titles,
        volume=_number(draft, "host_volume", "jpcoar:volume"),
        number=_number(draft, "host_number", "jpcoar:issue"),
        pages=_pages(draft),
        issn=tuple(unique(issn)),
        identifiers=tuple(others),
    )
    draft.single["host"] = NO_HOST if host == NO_HOST else host


def _host_identifiers(numbers: list[tuple[str, str]], draft: Draft) -> tuple[list[str], list[Identifier]]:
    issn, others = [], []
    for scheme, value in numbers:
        kind = "ISSN" if scheme in _ISSN_KINDS else scheme
        normal = normalise(kind, value) if kind != "NCID" or _NCID.match(value.upper()) else ""
        if scheme == "ISSN":
            draft.note("jpcoar.W034", where(SOURCE, TYPE, scheme), value)
        elif scheme not in {"PISSN", "EISSN", "NCID", "ISBN"}:
            draft.note("jpcoar.E134", f"{SOURCE}/@{TYPE}", scheme or value)
        if not normal:
            draft.note("jpcoar.E034", where(SOURCE, TYPE, scheme), value)
            draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=value))
            continue
        if kind == "ISSN":
            issn.append(normal)
        if scheme != "ISSN":
            others.append(identifier_as_sent(scheme, normal, value if kind != "ISSN" else normal))
    return issn, others


def _number(draft: Draft, name: str, element: str) -> str:
    """Return the number without words: "第12巻" is 12. A text with several numbers stays as it is."""
    value = draft.pop_first(name)
    if not _WORDS.search(value):
        return value
    number = number_in_words(value)
    draft.note("jpcoar.N035" if number else "jpcoar.W035", element, value, number)
    return number or value


def number_in_words(value: str) -> str:
    """Return the only number in "第12巻"; "" if there are several or none, or if there are no words."""
    match = _NUMBER.match(value) if _WORDS.search(value) else None
    return match[1] if match else ""


def _pages(draft: Draft) -> str:
    start, end = draft.pop_first("page_start"), draft.pop_first("page_end")
    return f"{start}-{end}" if end else start
