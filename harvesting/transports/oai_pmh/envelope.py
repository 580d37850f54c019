"""Reads the envelope of OAI-PMH 2.0 responses strictly: root element, errors and responseDate. No network access.

Elements are found by their local names, because some providers omit or misspell the namespace of the protocol.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime

from lxml import etree

from harvesting.types import Observation, TransportError
from metadata.vocabularies.namespaces import OAI
from metadata.xml.parsing import XmlError, parse, text

# Error codes of OAI-PMH 2.0, section 3.6. True: retrying cannot help.
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
_CODES_BY_LOWER_CASE = {code.lower(): code for code in OAI_ERRORS}
_ENVELOPE_TAG = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_ENVELOPE = f"{{{OAI}}}OAI-PMH"
_UTF8_ENCODINGS = frozenset({"", "UTF-8", "UTF8", "US-ASCII", "ASCII"})


def is_envelope(body: bytes) -> bool:
    """Whether the body looks like an OAI-PMH response, well-formed or not; also in UTF-16."""
    return bool(_ENVELOPE_TAG.search(body.replace(b"\0", b"") if b"\0" in body[:4] else body))


def read_envelope(body: bytes, content_type: str = "", encoding: str = "") -> etree._Element:
    """Parse a response and return its <OAI-PMH> element. encoding: used instead of the declared one, "" = as declared.

    TransportError "xml.malformed", "xml.forbidden" or "oai.not_oai".
    """
    try:
        root = parse(body, encoding)
    except XmlError as error:
        if not is_envelope(body):
            raise not_oai_error(body, content_type) from error
        raise malformed_error(error) from error
    if local_name(root) != "OAI-PMH":
        raise not_oai_error(body, content_type)
    return root


def malformed_error(error: XmlError) -> TransportError:
    """Convert an XmlError to a TransportError, which is permanent for a DOCTYPE with declarations."""
    code = "xml.forbidden" if error.forbidden else "xml.malformed"
    return TransportError(
        str(error),
        code,
        permanent=code == "xml.forbidden",
        line=error.line,
        column=error.column,
        reason=error.reason,
    )


def document_oddities(root: etree._Element) -> tuple[Observation, ...]:
    """Return observations of a whole response: those of its envelope, a DOCTYPE, and an unusable responseDate."""
    observations = list(envelope_oddities(root))
    if root.getroottree().docinfo.internalDTD is not None:
        observations.append(Observation(code="oai.doctype"))
    if response_date(root) is None:
        sent = next((text(child) for child in root if local_name(child) == "responseDate"), "")
        observations.append(Observation(code="oai.response_date", facts={"date": sent[:50] or "-"}))
    return tuple(observations)


def envelope_oddities(root: etree._Element) -> tuple[Observation, ...]:
    """Return observations of a readable envelope: wrong namespace, unusual encoding, an error beside records."""
    observations = []
    if root.tag != _ENVELOPE:
        observations.append(Observation(code="oai.namespace", facts={"namespace": etree.QName(root).namespace or "-"}))
    encoding = root.getroottree().docinfo.encoding or ""
    if encoding.upper() not in _UTF8_ENCODINGS:
        observations.append(Observation(code="oai.encoding", facts={"encoding": encoding}))
    error = root.find("{*}error")
    if error is not None and _has_records(root):
        reason = f"{error.get('code', '')}: {text(error)}"
        observations.append(Observation(code="oai.error_beside_records", facts={"reason": reason[:500]}))
    return tuple(observations)


def read_error(root: etree._Element) -> TransportError | None:
    """Return the response's <error>; None if there is none, or if there are also records, which are then used."""
    errors = [child for child in root if local_name(child) == "error"]
    if not errors or _has_records(root):
        return None
    # Another error takes precedence over noRecordsMatch, which would hide it.
    transport_errors = [_error(element) for element in errors]
    return next((element for element in transport_errors if element.code != "oai.noRecordsMatch"), transport_errors[0])


def _has_records(root: etree._Element) -> bool:
    return next(root.iterfind("{*}*/{*}record"), None) is not None


def _error(element: etree._Element) -> TransportError:
    return protocol_error(element.get("code", "").strip(), text(element))


def protocol_error(code_as_sent: str, reason: str) -> TransportError:
    """Make a TransportError from the code and the text of an OAI-PMH error."""
    code = _CODES_BY_LOWER_CASE.get(code_as_sent.lower(), "unknown")
    reason = reason or code_as_sent or "-"
    # A code that the protocol does not define indicates an internal error of the provider, which may be temporary.
    return TransportError(
        f"{code_as_sent}: {reason}", f"oai.{code}", permanent=OAI_ERRORS.get(code, False), reason=reason[:500]
    )


def read_content(root: etree._Element, verb: str) -> etree._Element:
    """Return the element named after the verb. TransportError "oai.no_answer" if it is missing."""
    for child in root:
        if local_name(child) == verb:
            return child
    names = ", ".join(local_name(child) for child in root)
    raise TransportError(
        f"the response has no <{verb}>",
        "oai.no_answer",
        permanent=False,
        reason=f"<{verb}> is missing; there is: {names[:200]}",
    )


def read_lists(root: etree._Element, verb: str, emptied_lists: Collection[str] = ()) -> tuple[etree._Element, ...]:
    """Return all elements that answer the verb: all with the name of the verb, and other lists that contain records.

    emptied_lists: names of lists from which the records have been removed. Errors as in `read_content`.
    """
    lists = tuple(child for child in root if local_name(child) == verb or _holds_records(child, emptied_lists))
    return lists or (read_content(root, verb),)


def list_oddities(lists: tuple[etree._Element, ...], verb: str) -> tuple[Observation, ...]:
    """Return observations if the response has more than one list, or a list of another name."""
    observations = []
    if len(lists) > 1:
        observations.append(Observation(code="oai.lists", facts={"count": len(lists), "verb": verb}))
    other_name = next((local_name(list_element) for list_element in lists if local_name(list_element) != verb), "")
    if other_name:
        observations.append(Observation(code="oai.other_list", facts={"found": other_name, "verb": verb}))
    return tuple(observations)


def _holds_records(child: etree._Element, emptied_lists: Collection[str]) -> bool:
    name = local_name(child)
    return name in LISTS and (name in emptied_lists or next(child.iterfind("{*}record"), None) is not None)


def response_date(root: etree._Element) -> datetime | None:
    """Return the provider's responseDate in UTC; None if it cannot be read."""
    for child in root:
        if local_name(child) == "responseDate":
            return parse_date(text(child))
    return None


def parse_date(value: str) -> datetime | None:
    """Parse a date leniently: also with fractions or an offset, or only a day. None if it is not a date.

    Without an offset it is UTC, as OAI-PMH requires (section 3.3).
    """
    try:
        date = datetime.fromisoformat(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :]


def not_oai_error(body: bytes, content_type: str) -> TransportError:
    """The error for a body that is not an OAI-PMH response; the facts give its page title or its first characters."""
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
