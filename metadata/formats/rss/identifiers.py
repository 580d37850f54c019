"""Sorts the links of a feed item into pages, files and identifiers, and its identifiers into valid and invalid.

The kind of an identifier is given by xsi:type or recognised by its form. Each identifier is kept once.
"""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.codes import identifier_as_sent
from metadata.formats.dcndl_simple.literals import NO_LINK
from metadata.identifiers import normalise, recognise
from metadata.record import Identifier, Relation
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES, identifier_in_uri

_SPELLINGS = {"ISBN13": "ISBN", "ISBN10": "ISBN", "setISBN": "SetISBN", "NCID": "NIIBibID"}
_OTHER_FORMS = re.compile(r"\.(?:rdf|json|xml|ttl)\Z")
_URN_ISBN = re.compile(r"urn:isbn:", re.IGNORECASE)


def settle_links(draft: Draft) -> None:
    """Sort links into pages, files and identifiers."""
    fields = draft.fields
    sent = [link for link in fields.pop("links", ()) if link]
    links = [link for link in sent if _is_web(link)]
    guids = [guid.value for guid in fields.get("guids", ()) if _is_web(guid.value) and guid.scheme != NO_LINK]
    own = next(iter(links or guids), "")
    if own and not links:
        draft.note("rss.N004", "guid", own, own)
    # An item with only a relative link is no error here: the transport, which knows the feed's URL, completes the link.
    if not (own or sent):
        draft.note("rss.E001", "item/link", draft.single["display_title"])
    pages = [own] if own else []
    for uri in fields.pop("see_also", ()):
        if identifier_in_uri(uri):
            fields["id_uris"].append(uri)
        elif _OTHER_FORMS.search(uri):
            fields["relations"].append(Relation(type="hasFormat", uri=uri))
        elif _is_web(uri):
            pages.append(uri)
        else:
            draft.note("rss.E011", "rdfs:seeAlso", uri)
    fields["relations"] += [Relation(type="hasFormat", uri=uri) for uri in fields.pop("files", ()) if _is_web(uri)]
    fields["see_also"] = list(dict.fromkeys(pages))
    draft.single["uri"] = own


def settle_identifiers(draft: Draft) -> None:
    """Sort identifiers into valid and invalid, without repetition."""
    fields = draft.fields
    valid: dict[tuple[str, str], Identifier] = {}
    for scheme, value in fields.pop("identifiers", ()):
        _settle(scheme, value, valid, draft)
    for name, scheme in (("isbns", "ISBN"), ("dois", "DOI")):
        for value in fields.pop(name, ()):
            _settle(scheme, value, valid, draft)
    _add_from_links(valid, draft)
    fields["identifiers"] = list(valid.values())


def _settle(sent: str, text: str, valid: dict[tuple[str, str], Identifier], draft: Draft) -> None:
    scheme = _SPELLINGS.get(sent, sent)
    value = ""
    if scheme in DECLARED_WRONG:
        draft.fields["invalid_identifiers"].append(Identifier(scheme=DECLARED_WRONG[scheme], value=text))
        return
    if not scheme or scheme == "URI":
        scheme, value = recognise(text)
    elif scheme in IDENTIFIER_SCHEMES:
        value = normalise(scheme, text)
    else:
        scheme, value = "", text
    if value:
        valid.setdefault((scheme, value), identifier_as_sent(scheme, value, text if sent else value))
        return
    draft.note("rss.E009", f"dc:identifier[{sent}]" if sent else "dc:identifier", text)
    draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def _add_from_links(valid: dict[tuple[str, str], Identifier], draft: Draft) -> None:
    """Add guids that are no URLs, and identifiers that links contain (CiNii's pages, NDL's URIs of identifiers)."""
    pages = set(draft.fields["see_also"])
    for _scheme, text in draft.fields.pop("guids", ()):
        if text not in pages and not _is_web(text):
            scheme, value = recognise(text)
            valid.setdefault((scheme, value), Identifier(scheme=scheme, value=value))
    for uri in (*draft.fields.pop("id_uris", ()), *draft.fields["see_also"][:1]):
        scheme, value = identifier_in_uri(uri) or recognise(uri)
        value = normalise(scheme, value) if scheme else ""
        if value:
            valid.setdefault((scheme, value), Identifier(scheme=scheme, value=value))


def take_isbn_of_part(draft: Draft) -> None:
    relations: list[Relation] = draft.fields.pop("relations", [])
    isbns = [part for part in relations if part.type == "hasPart" and _URN_ISBN.match(part.uri)]
    if len(isbns) == 1:
        relations.remove(isbns[0])
        draft.fields["isbns"].append(_URN_ISBN.sub("", isbns[0].uri))
    draft.fields["relations"] = relations


def _is_web(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))
