"""How the resource of a record can be read, and under which licence: conditions of the search. Pure."""

from metadata.record import BibliographicRecord
from metadata.vocabularies.access import ACCESS, access_keys
from metadata.vocabularies.licences import licence_of

_OPEN = frozenset(("open", "internet"))  # ways of access in which anyone can read the text on the web
_NO_TEXT = frozenset(("abstract", "summary", "thumbnail", "other"))  # files that are not the text itself


def is_online(record: BibliographicRecord) -> bool:
    """Whether the text is freely readable on the web: stated as such, or a file without any access restriction."""
    if any(map(is_open, (*record.access_rights, *(item.availability for item in record.items)))):
        return True
    return not record.access_rights and has_full_text(record)


def is_open(statement: str) -> bool:
    """Whether a statement about access says that the text is freely readable on the web."""
    return not _OPEN.isdisjoint(access_keys(statement))


def has_full_text(record: BibliographicRecord) -> bool:
    """Whether the record names a file with the text, whoever may read it."""
    return any(file.uri and file.type not in _NO_TEXT for file in record.files)


def access_of(record: BibliographicRecord) -> tuple[str, ...]:
    """The ways in which the resource can be read, as keys of ACCESS, in its order."""
    statements = (*record.access_rights, *record.rights, *(item.availability for item in record.items))
    found = {key for statement in statements if statement for key in access_keys(statement)}
    return tuple(key for key in ACCESS if key in found) if found else ()


def licences_of(record: BibliographicRecord) -> tuple[str, ...]:
    """The keys of the licences of the resource that are of a closed list."""
    if not record.rights and not record.licenses:
        return ()
    statements = (*record.rights, *(licence.uri for licence in record.licenses))
    return tuple(dict.fromkeys(licence.key for text in statements if (licence := licence_of(text))))
