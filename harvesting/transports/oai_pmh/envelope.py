"""The frame of OAI-PMH 2.0 responses, read strictly: the envelope, its errors and its clock. Asks nobody.

Elements are known by their local names, because providers leave out or misspell the namespace of the protocol.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime

from lxml import etree

from harvesting.types import Observation, TransportError
from metadata.vocabularies.namespaces import OAI
from metadata.xml.parsing import XmlError, parse, text

# Section 3.6 of the protocol. True: asking again cannot help.
OAI_ERRORS = {
    "badArgument": True,
    "badResumptionToken": False,
    "badVerb": True,
    "cannotDisseminateFormat": True,
    "idDoesNotExist": True,
    "noMetadataFormats": True,
    "noRecordsMatch": True,
    "noSetHierarchy": True,
}
LISTS = frozenset({"ListRecords", "GetRecord", "ListIdentifiers"})
_SPELLING = {code.lower(): code for code in OAI_ERRORS}
_ENVELOPE_TAG = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_ENVELOPE = f"{{{OAI}}}OAI-PMH"
_PLAIN_ENCODINGS = frozenset({"", "UTF-8", "UTF8", "US-ASCII", "ASCII"})


def is_envelope(body: bytes) -> bool:
    """Whether this is meant to be an OAI-PMH response, well-formed or not; also in UTF-16."""
    return bool(_ENVELOPE_TAG.search(body.replace(b"\0", b"") if b"\0" in body[:4] else body))


def read_envelope(body: bytes, content_type: str = "", encoding: str = "") -> etree._Element:
    """The <OAI-PMH> element. encoding: in place of the declared one.

    TransportError "xml.malformed", "xml.forbidden" or "oai.not_oai".
    """
    try:
        root = parse(body, encoding)
    except XmlError as error:
        if not is_envelope(body):
            raise not_oai(body, content_type) from error
        raise malformed(error) from error
    if local(root) != "OAI-PMH":
        raise not_oai(body, content_type)
    return root


def malformed(error: XmlError) -> TransportError:
    """The same as an error of the machine side: a document type that declares anything is refused for good."""
    code = "xml.forbidden" if error.forbidden else "xml.malformed"
    return TransportError(
        str(error),
        code,
        permanent=code == "xml.forbidden",
        line=error.line,
        column=error.column,
        reason=error.reason,
    )


def oddities(root: etree._Element) -> tuple[Observation, ...]:
    """What is wrong with an envelope although it can be read: its namespace, its encoding, an error beside records."""
    found = []
    if root.tag != _ENVELOPE:
        found.append(Observation(code="oai.namespace", facts={"namespace": etree.QName(root).namespace or "-"}))
    encoding = root.getroottree().docinfo.encoding or ""
    if encoding.upper() not in _PLAIN_ENCODINGS:
        found.append(Observation(code="oai.encoding", facts={"encoding": encoding}))
    beside = root.find("{*}error")
    if beside is not None and _has_records(root):
        reason = f"{beside.get('code', '')}: {text(beside)}"
        found.append(Observation(code="oai.error_beside_records", facts={"reason": reason[:500]}))
    return tuple(found)


def read_error(root: etree._Element) -> TransportError | None:
    """The response's <error>; None if there is none. Records that stand beside an error are kept."""
    errors = [child for child in root if local(child) == "error"]
    if not errors or _has_records(root):
        return None
    # noRecordsMatch beside another error would hide it.
    found = [_error(each) for each in errors]
    return next((each for each in found if each.code != "oai.noRecordsMatch"), found[0])


def _has_records(root: etree._Element) -> bool:
    return next(root.iterfind("{*}*/{*}record"), None) is not None


def _error(element: etree._Element) -> TransportError:
    return error_of(element.get("code", "").strip(), text(element))


def error_of(sent: str, reason: str) -> TransportError:
    """An error of the protocol by the code and the text that were sent."""
    code = _SPELLING.get(sent.lower(), "unknown")
    reason = reason or sent or "-"
    # A code that the protocol does not know is a fault inside the provider, which may pass.
    return TransportError(
        f"{sent}: {reason}", f"oai.{code}", permanent=OAI_ERRORS.get(code, False), reason=reason[:500]
    )


def read_content(root: etree._Element, verb: str) -> etree._Element:
    """The element that answers the verb. TransportError "oai.no_answer" if it is missing."""
    for child in root:
        if local(child) == verb:
            return child
    names = ", ".join(local(child) for child in root)
    raise TransportError(
        f"the response has no <{verb}>",
        "oai.no_answer",
        permanent=False,
        reason=f"<{verb}> is missing; there is: {names[:200]}",
    )


def read_lists(root: etree._Element, verb: str, emptied: Collection[str] = ()) -> tuple[etree._Element, ...]:
    """All elements that answer the verb, in their order: also further ones of its name, and lists of another name
    that hold records. emptied: names of lists whose records have been taken out. Errors as `read_content`."""
    found = tuple(child for child in root if local(child) == verb or _holds_records(child, emptied))
    return found or (read_content(root, verb),)


def list_oddities(lists: tuple[etree._Element, ...], verb: str) -> tuple[Observation, ...]:
    """Notices if an answer is in more than one list, or in one of another name."""
    found = []
    if len(lists) > 1:
        found.append(Observation(code="oai.lists", facts={"count": len(lists), "verb": verb}))
    other = next((local(each) for each in lists if local(each) != verb), "")
    if other:
        found.append(Observation(code="oai.other_list", facts={"found": other, "verb": verb}))
    return tuple(found)


def _holds_records(child: etree._Element, emptied: Collection[str]) -> bool:
    name = local(child)
    return name in LISTS and (name in emptied or next(child.iterfind("{*}record"), None) is not None)


def response_date(root: etree._Element) -> datetime | None:
    """The provider's clock in UTC; None if it cannot be read."""
    for child in root:
        if local(child) == "responseDate":
            return parse_date(text(child))
    return None


def parse_date(value: str) -> datetime | None:
    """Lenient: fractions, offsets, a bare day; without an offset it is UTC, as the protocol demands (section 3.3)."""
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def local(element: etree._Element) -> str:
    """The name of an element without its namespace."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :]


def not_oai(body: bytes, content_type: str) -> TransportError:
    """Facts: what stands there instead, as a page title where it has one, else its first characters."""
    title = _TITLE.search(body[:20_000])
    start = b" ".join((title.group(1) if title else body[:120]).split()).decode("utf-8", "replace")
    found = f"{content_type.partition(';')[0].strip() or 'no Content-Type'}, “{start[:120]}”"
    return TransportError(
        f"not an OAI-PMH response: {found}",
        "oai.not_oai",
        permanent=False,
        found=found,
        content_type=content_type[:100],
        start=start[:120],
    )
