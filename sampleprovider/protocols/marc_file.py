"""All records of a source that has MARCXML, as one file of MARC 21 records (ISO 2709). Pure; no HTTP."""

import io

import pymarc

from sampleprovider.replies import Reply
from sampleprovider.source import DEFAULT_BASE, SampleSource

NAME = "records.mrc"
PREFIX = "marcxml"
COLLECTION = b'<collection xmlns="http://www.loc.gov/MARC21/slim">', b"</collection>"


def marc_file(source: SampleSource, base: str) -> Reply | None:
    """Return the file, None if the source has no MARCXML. base: address of the server.

    The addresses are changed here and not in the reply: a MARC record contains the lengths of its fields.
    """
    if PREFIX not in source.prefixes:
        return None
    listing = source.holdings.listing(PREFIX, "")
    payloads = [record.payloads[PREFIX].partition(b"?>")[2] for record in listing if not record.deleted]
    xml = b"".join((COLLECTION[0], *payloads, COLLECTION[1])).replace(DEFAULT_BASE.encode(), base.encode())
    records = pymarc.parse_xml_to_array(io.BytesIO(xml))  # type: ignore[no-untyped-call]
    return Reply(b"".join(record.as_marc() for record in records), content_type="application/marc")
