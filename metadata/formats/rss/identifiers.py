"""Identifiers and links of feed items: typed by xsi:type or told by their form; pages, files, and what only repeats."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.codes import as_sent
from metadata.formats.dcndl_simple.literals import NO_LINK
from metadata.identifiers import normalise, recognise
from metadata.record import Identifier, Relation
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES, identifier_in_uri

_SPELLINGS = {"ISBN13": "ISBN", "ISBN10": "ISBN", "setISBN": "SetISBN", "NCID": "NIIBibID"}
_OTHER_FORMS = re.compile(r"\.(?:rdf|json|xml|ttl)\Z")
_URN_ISBN = re.compile(r"urn:isbn:", re.IGNORECASE)


def settle_links(draft: Draft, shown_title: str) -> str:
    """Part links into pages, files and identifiers. Returns the item's own link, "" if it has none."""
    fields = draft.fields
    sent = [each for each in fields.pop("links", ()) if each]
    links = [each for each in sent if _is_web(each)]
    guids = [each.value for each in fields.get("guids", ()) if _is_web(each.value) and each.scheme != NO_LINK]
    own = next(iter(links or guids), "")
    if own and not links:
        draft.note("rss.N004", "guid", own, own)
    if not (own or sent):  # what is sent is completed by the transport, which knows where the feed stands
        draft.note("rss.E001", "item/link", shown_title)
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
    fields["relations"] += [Relation(type="hasFormat", uri=each) for each in fields.pop("files", ()) if _is_web(each)]
    fields["see_also"] = list(dict.fromkeys(pages))
    _settle_isbn_of_parts(draft)
    return own


def settle_identifiers(draft: Draft) -> None:
    """Sort what identifies into valid and invalid, each once."""
    fields = draft.fields
    valid: dict[tuple[str, str], Identifier] = {}
    for scheme, value in fields.pop("identifiers", ()):
        _settle(scheme, value, valid, draft)
    for name, scheme in (("isbns", "ISBN"), ("dois", "DOI")):
        for value in fields.pop(name, ()):
            _settle(scheme, value, valid, draft)
    _take_from_links(valid, draft)
    fields["host_issn"] = [each for each in (normalise("ISSN", each) for each in fields.pop("host_issn", ())) if each]
    fields["identifiers"] = list(valid.values())
    if "source_identifiers" in fields:
        fields["source_identifiers"] = [
            as_sent(scheme, normalise(scheme, value) or value, value) for scheme, value in fields["source_identifiers"]
        ]


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
        valid.setdefault((scheme, value), as_sent(scheme, value, text if sent else value))
        return
    draft.note("rss.E009", f"dc:identifier[{sent}]" if sent else "dc:identifier", text)
    draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def _take_from_links(valid: dict[tuple[str, str], Identifier], draft: Draft) -> None:
    """A guid that is no address, and links that say an identifier (CiNii's pages, NDL's id URIs)."""
    pages = set(draft.fields["see_also"])
    for _scheme, text in draft.fields.pop("guids", ()):
        if text not in pages and not _is_web(text):
            found, value = recognise(text)
            valid.setdefault((found, value), Identifier(scheme=found, value=value))
    for uri in (*draft.fields.pop("id_uris", ()), *draft.fields["see_also"][:1]):
        scheme, value = identifier_in_uri(uri) or recognise(uri)
        value = normalise(scheme, value) if scheme else ""
        if value:
            valid.setdefault((scheme, value), Identifier(scheme=scheme, value=value))


def _settle_isbn_of_parts(draft: Draft) -> None:
    """CiNii lists the ISBNs of all volumes in dcterms:hasPart: the only one is the book's own, several are not."""
    relations: list[Relation] = draft.fields.pop("relations", [])
    isbns = [each for each in relations if each.type == "hasPart" and _URN_ISBN.match(each.uri)]
    if len(isbns) == 1:
        relations.remove(isbns[0])
        draft.fields["isbns"].append(_URN_ISBN.sub("", isbns[0].uri))
    draft.fields["relations"] = relations


def _is_web(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))
