"""Reading OAI-PMH 2.0 responses: bytes in, values out. Asks nobody; decides nothing about going on.

Strict: a page that is not well-formed is an error as a whole. (Taking single good records out of a broken
page belongs between `read_envelope` and `read_page`.) Elements are known by their local names, because
providers leave out or misspell the namespace of the protocol, and a record must not be lost by that.
"""

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from lxml import etree

from harvesting.transports.base import Batch, HarvestedRecord, Identity, MetadataFormat, OaiSet, TransportError
from metadata.xml import XmlError, parse, text

logger = logging.getLogger(__name__)

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
_SPELLING = {code.lower(): code for code in OAI_ERRORS}
_XML_CODES = {"xml.E001": "xml.malformed", "xml.E002": "xml.forbidden"}
_ENVELOPE_TAG = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]")
_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)


def is_envelope(body: bytes) -> bool:
    """Whether this is meant to be an OAI-PMH response, well-formed or not; also in UTF-16."""
    return bool(_ENVELOPE_TAG.search(body.replace(b"\0", b"") if b"\0" in body[:4] else body))


def read_envelope(body: bytes, content_type: str = "") -> etree._Element:
    """The <OAI-PMH> element. TransportError "xml.malformed", "xml.forbidden" or "oai.not_oai"."""
    try:
        root = parse(body)
    except XmlError as error:
        if not is_envelope(body):
            raise _not_oai(body, content_type) from error
        code = _XML_CODES.get(error.code, "xml.malformed")
        raise TransportError(
            str(error),
            code,
            permanent=code == "xml.forbidden",
            line=error.line,
            column=error.column,
            reason=error.reason,
        ) from error
    if _local(root) != "OAI-PMH":
        raise _not_oai(body, content_type)
    return root


def read_error(root: etree._Element) -> TransportError | None:
    """The response's <error>; None if there is none. Records that stand beside an error are kept."""
    errors = [child for child in root if _local(child) == "error"]
    if not errors:
        return None
    if next(root.iterfind("{*}*/{*}record"), None) is not None:
        logger.warning("an OAI-PMH error beside records was passed over: %s", text(errors[0]))
        return None
    # noRecordsMatch beside another error would hide it.
    found = [_error(each) for each in errors]
    return next((each for each in found if each.code != "oai.noRecordsMatch"), found[0])


def _error(element: etree._Element) -> TransportError:
    sent = element.get("code", "").strip()
    code = _SPELLING.get(sent.lower(), "unknown")
    reason = text(element) or sent
    # A code that the protocol does not know is a fault inside the provider, which may pass.
    return TransportError(
        f"{sent}: {reason}", f"oai.{code}", permanent=OAI_ERRORS.get(code, False), reason=reason[:500]
    )


def read_content(root: etree._Element, verb: str) -> etree._Element:
    """The element that answers the verb. TransportError "oai.no_answer" if it is missing."""
    for child in root:
        if _local(child) == verb:
            return child
    names = ", ".join(_local(child) for child in root)
    raise TransportError(
        f"the response has no <{verb}>",
        "oai.no_answer",
        permanent=False,
        reason=f"<{verb}> is missing; there is: {names[:200]}",
    )


def read_page(root: etree._Element, verb: str) -> Batch:
    """One page of ListRecords or GetRecord; an empty one where only an error stands."""
    moment = response_date(root)
    if root.find("{*}error") is not None and root.find(f"{{*}}{verb}") is None:
        return Batch(records=(), response_date=moment)
    content = read_content(root, verb)
    token, size = read_token(content)
    return Batch(
        records=tuple(_records(content)), resumption_token=token, response_date=moment, complete_list_size=size
    )


def read_token(content: etree._Element) -> tuple[str, int | None]:
    """resumptionToken ("" at the end of the list: absent, empty or blank) and its completeListSize."""
    for child in reversed(content):
        if _local(child) == "resumptionToken":
            return text(child), _count(child.get("completeListSize"))
    return "", None


def _records(content: etree._Element) -> Iterator[HarvestedRecord]:
    for child in content:
        if _local(child) == "record":
            yield _record(child)


def _record(element: etree._Element) -> HarvestedRecord:
    """Nothing is dropped here: what is missing stays empty, and the store says why it rejects it."""
    header: etree._Element | None = None
    blocks: list[etree._Element] = []
    for child in element:
        name = _local(child)
        if name == "metadata":
            blocks.append(child)
        elif name == "header" and header is None:
            header = child
    identifier, datestamp, set_specs, deleted = _header(header)
    # Deletion wins over metadata that is sent all the same.
    payload, root = (b"", None) if deleted else _payload(blocks)
    return HarvestedRecord(
        identifier=identifier, datestamp=datestamp, deleted=deleted, set_specs=set_specs, payload=payload, root=root
    )


def _header(header: etree._Element | None) -> tuple[str, str, tuple[str, ...], bool]:
    identifier = datestamp = ""
    set_specs: list[str] = []
    if header is None:
        return identifier, datestamp, (), False
    for child in header:
        name, value = _local(child), text(child)
        if name == "identifier":
            identifier = identifier or value
        elif name in {"datestamp", "timestamp"}:  # NDL's guideline prints <timestamp> in its figures 3-1 to 3-6
            datestamp = datestamp or value
        elif name == "setSpec" and value and value not in set_specs:
            set_specs.append(value)
    status = header.get("status")
    return identifier, datestamp, tuple(set_specs), status is not None and status.strip().lower() == "deleted"


def _payload(blocks: list[etree._Element]) -> tuple[bytes, etree._Element | None]:
    """The one metadata root, standalone and parsed. Anything else as it stands, for the store to reject."""
    if len(blocks) == 1:
        block = blocks[0]
        if len(block) == 1:
            root = block[0]
            return _standalone(root), root
        return (_standalone(block) if len(block) or text(block) else b""), None
    return b"".join(_standalone(block) for block in blocks), None


def _standalone(element: etree._Element) -> bytes:
    # In place: lxml adds the namespaces declared further up, and the element stays in the page's tree.
    return etree.tostring(element, encoding="UTF-8", xml_declaration=False, with_tail=False)


def response_date(root: etree._Element) -> datetime | None:
    """The provider's clock in UTC; None if it cannot be read."""
    for child in root:
        if _local(child) == "responseDate":
            return parse_date(text(child))
    return None


def parse_date(value: str) -> datetime | None:
    """Lenient: fractions, offsets, a bare day; without an offset it is UTC, as the protocol demands (section 3.3)."""
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_identity(content: etree._Element) -> Identity:
    values: dict[str, list[str]] = {}
    for child in content:
        values.setdefault(_local(child), []).append(text(child))

    def first(name: str) -> str:
        return values.get(name, [""])[0]

    return Identity(
        repository_name=first("repositoryName"),
        base_url=first("baseURL"),
        protocol_version=first("protocolVersion"),
        earliest_datestamp=first("earliestDatestamp"),
        deleted_record=first("deletedRecord").lower(),
        granularity=first("granularity"),
        admin_emails=tuple(filter(None, values.get("adminEmail", []))),
    )


def read_formats(content: etree._Element) -> tuple[MetadataFormat, ...]:
    rows = ({_local(child): text(child) for child in each} for each in content if _local(each) == "metadataFormat")
    return tuple(
        MetadataFormat(
            prefix=row["metadataPrefix"], schema=row.get("schema", ""), namespace=row.get("metadataNamespace", "")
        )
        for row in rows
        if row.get("metadataPrefix")
    )


def read_sets(content: etree._Element) -> tuple[OaiSet, ...]:
    rows = ({_local(child): text(child) for child in each} for each in content if _local(each) == "set")
    return tuple(OaiSet(spec=row["setSpec"], name=row.get("setName", "")) for row in rows if row.get("setSpec"))


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag[tag.rfind("}") + 1 :]


def _count(value: str | None) -> int | None:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def _not_oai(body: bytes, content_type: str) -> TransportError:
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
