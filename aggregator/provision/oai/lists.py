"""ListRecords, ListIdentifiers and GetRecord: selects the entries and makes their XML. No HTTP."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from aggregator.provision import listing
from aggregator.provision.contents import Content, Terms, all_terms, contents
from aggregator.provision.copies import copy_contents
from aggregator.provision.listing import Entry, Span
from aggregator.provision.oai import records, tokens
from aggregator.provision.oai.arguments import OaiError, OaiRequest, RequestRefused
from aggregator.provision.oai.naming import identifier_prefix
from aggregator.provision.oai.records import PORTION, Payloads
from aggregator.provision.oai.tokens import UNKNOWN, State
from aggregator.provision.sets import COPIES, COPIES_SET, EVERYTHING, part_of
from core.database.batches import select_in
from harvesting.models import Feed

PAGE_SIZES = {"ListRecords": 200, "ListIdentifiers": 1000}
MOST_BYTES = 4_000_000  # of the records of a page; one that is longer is a page of its own


@dataclass(frozen=True, slots=True)
class Page:
    """One response of a list. state: where it begins. next_state: where the next one begins, None on the last."""

    entries: Sequence[Entry]
    state: State
    next_state: State | None


def list_records(request: OaiRequest, began: int) -> bytes:
    terms = all_terms()
    page = _page(request, began, terms, PAGE_SIZES["ListRecords"])
    payloads = _payloads(page.entries, page.state.prefix)
    elements: list[bytes] = []
    size = 0
    for element in _record_elements(page.entries, payloads, terms):
        size += len(element)
        if elements and size > MOST_BYTES:
            page = _shortened(page, len(elements))
            break
        elements.append(element)
    payloads.keep()
    if page.next_state is None:
        request.on_end(page.state.set_spec, page.state.from_, page.state.until)
    return b"".join((b"<ListRecords>\n", *elements, _token(page), b"</ListRecords>"))


def list_identifiers(request: OaiRequest, began: int, limit: int = 0) -> bytes:
    """Return a page of headers. limit: of entries; 0: that of this site."""
    terms = all_terms()
    page = _page(request, began, terms, limit or PAGE_SIZES["ListIdentifiers"])
    start = identifier_prefix()
    lines = "\n".join(records.header(entry, _repository_number(entry, terms), start) for entry in page.entries)
    return b"".join((b"<ListIdentifiers>\n", lines.encode(), b"\n", _token(page), b"</ListIdentifiers>"))


def get_record(request: OaiRequest, _began: int) -> bytes:
    entry = find_entry(request["identifier"])
    _check_prefix(request["metadataPrefix"])
    payloads = _payloads([entry], request["metadataPrefix"])
    elements = list(_record_elements([entry], payloads, all_terms()))
    payloads.keep()
    return b"".join((b"<GetRecord>\n", *elements, b"</GetRecord>"))


def find_entry(identifier: str) -> Entry:
    """Return the entry with this identifier, deleted or not. Raises RequestRefused."""
    start = identifier_prefix()
    entry = listing.find(identifier.removeprefix(start)) if identifier.startswith(start) else None
    if entry is None:
        raise RequestRefused(OaiError("idDoesNotExist", f"Nothing here bears the identifier {identifier}."))
    return entry


def _page(request: OaiRequest, began: int, terms: dict[int, Terms], limit: int) -> Page:
    """Return the requested page of at most `limit` entries. Raises RequestRefused."""
    state = _continued_list(request) if "resumptionToken" in request.arguments else _new_list(request, began)
    part = part_of(state.set_spec, terms) if state.set_spec else EVERYTHING
    if part is None:
        if state.cursor:
            raise RequestRefused(OaiError("badResumptionToken", f"The set {state.set_spec} is gone."))
        raise RequestRefused(
            OaiError("noRecordsMatch", f"There is no set {state.set_spec}; ListSets tells which there are.")
        )
    span = Span(until=state.until, part=part, from_=state.from_)
    entries = listing.page(span, limit + 1, state.place)
    if not entries and state.cursor:
        # All remaining entries have changed meanwhile and moved behind the end of the list. They are returned now,
        # because the protocol allows no empty list.
        entries = listing.page(replace(span, until=began), limit, state.place)
    if not entries:
        raise RequestRefused(
            OaiError("noRecordsMatch", "Nothing was changed in this span of time, or the set has no records.")
        )
    if not state.size:
        state = replace(state, size=_size(span) if len(entries) > limit else len(entries))
    next_state = None
    if len(entries) > limit:
        entries = entries[:limit]
        next_state = replace(state, cursor=state.cursor + limit, place=entries[-1].place)
    return Page(entries, state, next_state)


def _size(span: Span) -> int:
    size = listing.size(span)
    return UNKNOWN if size is None else size


def _shortened(page: Page, length: int) -> Page:
    """Return a page with its first entries only. The next page begins with the others."""
    entries = page.entries[:length]
    next_state = replace(page.state, cursor=page.state.cursor + length, place=entries[-1].place)
    return Page(entries, page.state, next_state)


def _new_list(request: OaiRequest, began: int) -> State:
    """Return the state of a new list. Its end is fixed, so that all pages belong to the same list."""
    _check_prefix(request["metadataPrefix"])
    until = began if request.until is None else min(request.until, began)
    return State(
        verb=request["verb"],
        prefix=request["metadataPrefix"],
        set_spec=request["set"],
        from_=max(request.from_ or 0, 0),
        until=until,
        size=0,
        cursor=0,
        place=listing.START,
    )


def _continued_list(request: OaiRequest) -> State:
    state = tokens.decode(request["resumptionToken"], request["verb"])
    if state is None or state.prefix not in records.prefixes():
        raise RequestRefused(
            OaiError("badResumptionToken", f"This is no resumptionToken that was given here for {request['verb']}.")
        )
    return state


def _check_prefix(prefix: str) -> None:
    if prefix not in records.prefixes():
        known = ", ".join(records.prefixes())
        raise RequestRefused(OaiError("cannotDisseminateFormat", f"{prefix} is not given here. There are: {known}."))


def _repository_number(entry: Entry, terms: dict[int, Terms]) -> str:
    """Return the repository number as `specs_of` takes it; for a provider that is gone, from the public id."""
    if entry.origin == COPIES:
        return COPIES_SET
    return terms[entry.origin].number if entry.origin in terms else entry.public_id.partition("-")[0]


def _payloads(entries: Sequence[Entry], prefix: str) -> Payloads:
    """Return what makes the metadata of these entries."""
    return Payloads(prefix, f"{prefix} {COPIES_SET}" if entries[0].origin == COPIES else prefix)


def _record_elements(entries: Sequence[Entry], payloads: Payloads, terms: dict[int, Terms]) -> Iterator[bytes]:
    """Yield the record elements. One no longer redistributed is deleted, even if its stamp does not say so yet."""
    live = _contents([entry for entry in entries if not entry.deleted], terms)
    base_urls = _base_urls({entry.feed for entry in live.values() if entry.feed})
    start = identifier_prefix()
    written: dict[int, bytes] = {}
    for place, entry in enumerate(entries):
        if place % PORTION == 0:
            portion = entries[place : place + PORTION]
            written = payloads.of({entry.item: live[entry.item] for entry in portion if entry.item in live})
        number, content = _repository_number(entry, terms), live.get(entry.item)
        if content is None:
            yield f"<record>{records.header(structs.replace(entry, deleted=True), number, start)}</record>\n".encode()
            continue
        header, about = (
            records.header(entry, number, start),
            records.about(content, base_urls.get(content.feed or 0, "")),
        )
        parts = (header.encode(), written[entry.item], about.encode())
        yield b"<record>%b<metadata>%b</metadata>%b</record>\n" % parts


def _contents(entries: Sequence[Entry], terms: dict[int, Terms]) -> dict[int, Content]:
    """Return the contents of entries of one list, by `Entry.item`. Either all are single copies or none is."""
    if entries and entries[0].origin == COPIES:
        return copy_contents(entries, terms)
    return contents([entry.item for entry in entries], terms)


def _base_urls(feeds: Collection[int]) -> dict[int, str]:
    """Return the base URLs of feeds, by key, as far as they are web addresses."""
    rows = select_in(Feed, ("id", "base_url"), "id", feeds)
    return {pk: url for pk, url in rows if url.startswith("http")}


def _token(page: Page) -> bytes:
    """Return the resumptionToken element: none if one page has all entries, empty on the last page (section 3.5)."""
    if page.next_state is None and not page.state.cursor:
        return b""
    token = tokens.encode(page.next_state) if page.next_state else ""
    # The size may be an estimate or left out, says the protocol: of a large list, it is not always known.
    size = max(page.state.size, page.state.cursor + len(page.entries))
    known = f' completeListSize="{size}"' if page.state.size != UNKNOWN else ""
    return f'<resumptionToken{known} cursor="{page.state.cursor}">{token}</resumptionToken>\n'.encode()
