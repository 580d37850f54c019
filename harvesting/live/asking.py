"""What to ask a live source, and what it answers: for every kind of source in the same way. Sends nothing itself."""

from collections.abc import Mapping

from harvesting.live.kinds import PROTOCOLS
from harvesting.live.options import MAX_SIZE, read_options
from harvesting.live.types import (
    MAX_HITS,
    Answer,
    Described,
    Fetch,
    Found,
    LiveError,
    LiveHit,
    LiveSource,
    Question,
    RawHit,
    Request,
)
from metadata.issue import Reading
from metadata.links import safe_href
from metadata.policy import DEFAULT
from metadata.reading import read_all
from metadata.record import BibliographicRecord


def request_for(source: LiveSource, question: Question, start: int = 1, limit: int = MAX_HITS) -> Request:
    """Return the request for at most `limit` hits from the hit `start`, from 1. Raises LiveError "live.options"."""
    try:
        return PROTOCOLS[source.kind].request_for(source, question, start, min(limit, MAX_HITS))
    except ValueError as error:  # options of another version of the program, or changed in the database
        raise LiveError("live.options", str(error)) from error


def read_answer(source: LiveSource, body: bytes, content_type: str = "") -> Answer:
    """Return the records of an answer, converted and checked like harvested ones. Raises LiveError."""
    found = find(source, body, content_type)
    readings = read_hits(found.hits)
    accepted = [(hit, reading) for hit, reading in zip(found.hits, readings, strict=True) if reading.record]
    return Answer(
        records=tuple(
            LiveHit(record=reading.record, link=hit.link or page_of(reading.record), issues=reading.issues)
            for hit, reading in accepted
            if reading.record
        ),
        total=found.total,
        rejected=tuple(reading.issues for reading in readings if reading.record is None),
        observations=found.observations,
    )


def find(source: LiveSource, body: bytes, content_type: str = "") -> Found:
    """Return the records of an answer before they are converted. Raises LiveError."""
    try:
        return PROTOCOLS[source.kind].find(source, body, content_type)
    except ValueError as error:
        raise LiveError("live.options", str(error)) from error


def read_hits(hits: tuple[RawHit, ...]) -> list[Reading]:
    """Convert and check records with the crosswalks and rules for harvested ones."""
    readings = read_all([hit.root if hit.root is not None else hit.payload for hit in hits], "")
    return [
        Reading(record=reading.record, issues=(*DEFAULT.reported(hit.issues), *reading.issues))
        for hit, reading in zip(hits, readings, strict=True)
    ]


def page_of(record: BibliographicRecord) -> str:
    """Return the address of the page about a record that the record itself names; "" if it names none."""
    pages = (*record.see_also, *(page for item in record.items for page in item.see_also), record.uri)
    return next((href for page in pages if (href := safe_href(page))), "")


def describe(fetch: Fetch, kind: str, address: str, words: str = "") -> Described:
    """Return the options that the description of a source suggests. words: a search that has hits there.

    Raises LiveError, and what `fetch` raises.
    """
    return PROTOCOLS[kind].describe(fetch, address, words)


def check_address(kind: str, address: str) -> str:
    """Return what is wrong with an address, as a code; "" if nothing is."""
    return PROTOCOLS[kind].check_address(address)


def check(kind: str, stored: Mapping[str, object]) -> str:
    """Return what is wrong with the options of a source, as a code; "" if nothing is."""
    try:
        options = read_options(stored)
    except ValueError:
        return "options"
    if len(str(stored)) > MAX_SIZE or not 0 < options.rate <= 100 or not 0 < options.page_size <= MAX_HITS:
        return "options"
    return PROTOCOLS[kind].check(options)
