"""The transport of a live source: its description as Identify, and the records of a test search as the sample."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from msgspec import structs

from harvesting.http.fetch import Fetched
from harvesting.http.redirects import NO_PARAMETERS
from harvesting.live.asking import describe, find, request_for
from harvesting.live.kinds import LINK
from harvesting.live.options import stored_form
from harvesting.live.types import (
    ANY,
    MAX_BYTES,
    TITLE,
    AllOf,
    Described,
    Found,
    LiveError,
    LiveSource,
    Page,
    RawHit,
    Request,
    Word,
)
from harvesting.transports.documents.entries import content_identifier
from harvesting.types import Batch, HarvestedRecord, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError
from metadata.formats import FORMATS
from metadata.issue import Issue
from metadata.xml.parsing import XmlError, cut_out

USUAL_WORDS = "図書館"  # of a test search where nobody has chosen any: every Japanese catalogue has hits for it


class LiveTransport:
    """The transport of one live source. fetch: as `Fetcher.fetch`. Nothing is asked before the first call."""

    def __init__(self, source: LiveSource, fetch: Callable[..., Fetched]) -> None:
        self._source = source
        self._fetch = fetch
        self._description: Described | None = None

    def identify(self) -> Identity:
        """What the source says of itself; `live` has the options that follow from it."""
        described = self._described()
        words = str(self._source.options.get("known_item", "")) or described.options.known_item
        if not words and self._source.kind != LINK:
            words = USUAL_WORDS
        options = structs.replace(described.options, known_item=words)
        return Identity(repository_name=options.name, live=stored_form(options), example=described.example)

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """The record schemas that can be read, as formats."""
        return tuple(
            MetadataFormat(prefix=prefix, schema=name, namespace=FORMATS[prefix].writers[0].namespace)
            for prefix, name in self._described().options.schemas.items()
        )

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """Nothing is harvested from a live source."""
        raise TransportError("a live source", "run.live", permanent=True)

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        """Yield the records of the test search, in the order of the source."""
        if self._source.kind == LINK:
            yield Batch(records=())
            return
        found = self._found(request, size)
        records = tuple(map(_harvested, found.hits[:size]))
        yield Batch(records=records, complete_list_size=found.total, observations=found.observations)

    def _found(self, request: HarvestRequest, size: int) -> Found:
        source = self._source_for(request)
        words = str(source.options.get("known_item", "")) or USUAL_WORDS
        with _as_transport_errors(source.address):
            asked = next(filter(lambda request: not request.empty, _requests(source, words, size)), None)
            if asked is None:
                raise LiveError("live.nothing_asked", words)
            fetched = self._page(asked.url, NO_PARAMETERS)
            return find(source, fetched.body, fetched.content_type)

    def _source_for(self, request: HarvestRequest) -> LiveSource:
        """The source with the options that are declared, else those of its description, in the requested format."""
        options: dict[str, Any] = {**stored_form(self._described().options), **self._source.options}
        schemas = options.get("schemas", {})
        if request.metadata_prefix in schemas:
            options["schema"] = schemas[request.metadata_prefix]
        return replace(self._source, options=options)

    def _described(self) -> Described:
        if self._description is None:
            words = str(self._source.options.get("known_item", "")) or USUAL_WORDS
            with _as_transport_errors(self._source.address):
                self._description = describe(self._page, self._source.kind, self._source.address, words)
        return self._description

    def _page(self, url: str, parameters: Mapping[str, str]) -> Page:
        fetched = self._fetch(url, parameters, max_bytes=MAX_BYTES).checked()
        return Page(fetched.final_url, fetched.body, fetched.headers.get("content-type", ""))


def _requests(source: LiveSource, words: str, size: int) -> Iterator[Request]:
    """Yield the requests for a test search in all fields, and in titles for a source that has no search in all."""
    for field in (ANY, TITLE):
        yield request_for(source, AllOf(tuple(Word(field, word) for word in words.split())), limit=size)


@contextmanager
def _as_transport_errors(url: str) -> Iterator[None]:
    try:
        yield
    except LiveError as error:
        permanent = error.code not in ("live.unavailable", "live.diagnostic")
        raise TransportError(str(error), error.code, permanent=permanent, url=url, detail=error.detail) from error


def _harvested(hit: RawHit) -> HarvestedRecord:
    """A hit in the form of a harvested record, so that it is checked and shown like one."""
    issues = hit.issues
    try:
        payload = cut_out(hit.root) if hit.root is not None else hit.payload
    except XmlError as error:
        payload, issues = b"", (*issues, Issue(code=error.code, value=error.reason))
    return HarvestedRecord(identifier=hit.link or content_identifier(payload), payload=payload, issues=issues)
