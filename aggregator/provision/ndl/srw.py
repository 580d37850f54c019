"""The response of NDL Search's SRU: elements in the order of its table 3-4, with facets. No database access."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from msgspec import structs

from aggregator.catalogue.books import Book
from aggregator.provision.ndl.finding import Found
from aggregator.provision.ndl.problems import NO_RECORD, UNAVAILABLE, Problem
from aggregator.provision.ndl.sru import DC, IDENTIFIERS, Form
from aggregator.provision.sru.envelope import DIAGNOSTIC, document, element
from aggregator.provision.sru.schemas import PLAIN_DC, record_element, schema_of
from aggregator.search.base import FacetValue
from metadata.formats import WRITERS
from metadata.record import Subject
from metadata.vocabularies.dcndl import class_uri

MEDIA_TYPE = "text/xml; charset=utf-8"
# Elements with a language, such as "ja", and with one and the script of a reading, such as "ja-Kana".
_LANGUAGE = re.compile(r'<(dc:[a-z]+) xml:lang="[^"]*">')
_READING = re.compile(r'<(dc:[a-z]+) xml:lang="[a-z]+-(?:Kana|Latn)">[^<]*</\1>')
_FACETS = {"repository": "REPOSITORY_NO", "ndc": "NDC", "year": "ISSUED_DATE"}
# The namespace of the root element of a record in dc: NDL's, then that of the standard.
_NDL_DC, _STANDARD_DC = f'="{DC}"', '="info:srw/schema/1/dc-schema"'


def response(form: Form, found: Found) -> str:
    """Return the hits as a document; no hits are a diagnostic."""
    if not found.total:
        return refusal(form.version, Problem(NO_RECORD))
    records = "".join(_record(form, position, book) for position, book in found.books)
    parts = [
        element("version", form.version),
        element("numberOfRecords", found.total),
        element("nextRecordPosition", found.next),
        f"<extraResponseData>{_packed(form, _facets(found.facets))}</extraResponseData>",
        f"<records>{records}</records>" if records else "",
    ]
    return document("searchRetrieveResponse", parts)


def refusal(version: str, problem: Problem) -> str:
    """Return a problem as a response without records."""
    inner = element("uri", problem.uri) + element("message", problem.text)
    parts = [
        element("version", version),
        element("numberOfRecords", 0),
        element("nextRecordPosition", 0),
        f'<diagnostics><diagnostic xmlns="{DIAGNOSTIC}">{inner}</diagnostic></diagnostics>',
    ]
    return document("searchRetrieveResponse", parts)


def unavailable() -> str:
    """Return the response to a request that is not carried out now."""
    return refusal("1.2", Problem(UNAVAILABLE))


def _packed(form: Form, text: str) -> str:
    return text if form.packing == "xml" else escape(text)


def _facets(facets: Mapping[str, Sequence[FacetValue]]) -> str:
    return f"<facets>{''.join(_lists(facets))}</facets>"


def _lists(facets: Mapping[str, Sequence[FacetValue]]) -> Iterator[str]:
    for name, title in _FACETS.items():
        counts = "".join(f"<int name={quoteattr(value.value)}>{value.count}</int>" for value in facets.get(name, ()))
        if counts:
            yield f'<lst name="{title}">{counts}</lst>'


def _record(form: Form, position: int, book: Book) -> str:
    if form.schema == "dc":
        data = _without_languages(record_element(book, PLAIN_DC))
        data = data.replace(_STANDARD_DC, _NDL_DC, 1)  # only the declaration at the root has this form
    else:
        items = () if form.only_book else book.record.items
        record = structs.replace(book.record, items=items, subjects=tuple(map(_as_ndl, book.record.subjects)))
        data = record_element(replace(book, record=record), schema_of(WRITERS[form.schema]))
    return (
        f"<record>{element('recordSchema', IDENTIFIERS[form.schema])}"
        f"{element('recordPacking', form.packing)}<recordData>{_packed(form, data)}</recordData>"
        f"{element('recordPosition', position)}</record>"
    )


def _without_languages(data: str) -> str:
    """Return plain Dublin Core as NDL's is: without xml:lang, and so without the readings, which only
    xml:lang distinguishes.

    Clients that look for `<dc:title>` in the text would not find the element with an attribute.
    """
    return _LANGUAGE.sub(r"<\1>", _READING.sub("", data))


def _as_ndl(subject: Subject) -> Subject:
    """Return the address of a class, as NDL gives classes, if it has one."""
    uri = "" if subject.uri or subject.transcription else class_uri(subject.scheme, subject.value)
    return structs.replace(subject, uri=uri) if uri else subject
