"""ListRecords, ListIdentifiers and GetRecord: which entries, and their XML. Reads what is given on; no HTTP."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from aggregator.provision import listing
from aggregator.provision.contents import Terms, all_terms, contents
from aggregator.provision.listing import Entry, Span
from aggregator.provision.oai import records, tokens
from aggregator.provision.oai.arguments import Asked, OaiError, Refused
from aggregator.provision.oai.naming import identifier_start
from aggregator.provision.oai.tokens import State
from aggregator.provision.sets import EVERYTHING, part_of
from harvesting.models import Feed

PAGE_SIZES = {"ListRecords": 100, "ListIdentifiers": 1000}


@dataclass(frozen=True, slots=True)
class Page:
    """One response of a list. state: where it begins; following: where the next one does, None on the last."""

    entries: Sequence[Entry]
    state: State
    following: State | None


def list_records(asked: Asked, began: int) -> bytes:
    terms = all_terms()
    page = _page(asked, began, terms)
    return b"".join(
        (b"<ListRecords>\n", *_written(page.entries, page.state.prefix, terms), _token(page), b"</ListRecords>")
    )


def list_identifiers(asked: Asked, began: int) -> bytes:
    terms = all_terms()
    page = _page(asked, began, terms)
    start = identifier_start()
    lines = "\n".join(records.header(each, _number(each, terms), start) for each in page.entries)
    return b"".join((b"<ListIdentifiers>\n", lines.encode(), b"\n", _token(page), b"</ListIdentifiers>"))


def get_record(asked: Asked, _began: int) -> bytes:
    entry = found(asked["identifier"])
    _check_prefix(asked["metadataPrefix"])
    return b"".join((b"<GetRecord>\n", *_written([entry], asked["metadataPrefix"], all_terms()), b"</GetRecord>"))


def found(identifier: str) -> Entry:
    """What bears this identifier, deleted or not. Raises Refused."""
    start = identifier_start()
    entry = listing.find(identifier.removeprefix(start)) if identifier.startswith(start) else None
    if entry is None:
        raise Refused(OaiError("idDoesNotExist", f"Nothing here bears the identifier {identifier}."))
    return entry


def _page(asked: Asked, began: int, terms: dict[int, Terms]) -> Page:
    """The page that is asked for. Raises Refused."""
    state = _continued(asked) if "resumptionToken" in asked.arguments else _begun(asked, began)
    part = part_of(state.set_spec, terms) if state.set_spec else EVERYTHING
    if part is None:
        if state.cursor:
            raise Refused(OaiError("badResumptionToken", f"The set {state.set_spec} is gone."))
        raise Refused(OaiError("noRecordsMatch", f"There is no set {state.set_spec}; ListSets tells which there are."))
    span = Span(until=state.until, part=part, from_=state.from_)
    limit = PAGE_SIZES[state.verb]
    entries = listing.page(span, limit + 1, state.place)
    if not entries and state.cursor:
        # All that was left changed meanwhile and stands further on: it is given now rather than an empty list.
        entries = listing.page(replace(span, until=began), limit, state.place)
    if not entries:
        raise Refused(
            OaiError("noRecordsMatch", "Nothing was changed in this span of time, or the set has no records.")
        )
    if not state.size:
        several = len(entries) > limit
        state = replace(state, size=listing.size(span) if several else len(entries))
    following = None
    if len(entries) > limit:
        entries = entries[:limit]
        following = replace(state, cursor=state.cursor + limit, place=entries[-1].place)
    return Page(entries, state, following)


def _begun(asked: Asked, began: int) -> State:
    """A new list: what is not said is fixed, so that all its pages speak of the same."""
    _check_prefix(asked["metadataPrefix"])
    until = began if asked.until is None else min(asked.until, began)
    return State(
        verb=asked["verb"],
        prefix=asked["metadataPrefix"],
        set_spec=asked["set"],
        from_=max(asked.from_ or 0, 0),
        until=until,
        size=0,
        cursor=0,
        place=listing.START,
    )


def _continued(asked: Asked) -> State:
    state = tokens.read(asked["resumptionToken"], asked["verb"])
    if state is None or state.prefix not in records.PREFIXES:
        raise Refused(
            OaiError("badResumptionToken", f"This is no resumptionToken that was given here for {asked['verb']}.")
        )
    return state


def _check_prefix(prefix: str) -> None:
    if prefix not in records.PREFIXES:
        known = ", ".join(records.PREFIXES)
        raise Refused(OaiError("cannotDisseminateFormat", f"{prefix} is not given here. There are: {known}."))


def _number(entry: Entry, terms: dict[int, Terms]) -> str:
    """The number of its repository, "" of a merged one; of a repository that is gone its name in the id."""
    return terms[entry.origin].number if entry.origin in terms else entry.public_id.partition("-")[0]


def _written(entries: Collection[Entry], prefix: str, terms: dict[int, Terms]) -> Iterator[bytes]:
    """The record elements. What is not given on any more is told as deleted, also before that has its stamp."""
    live = contents([each.item for each in entries if not each.deleted], terms)
    base_urls = _base_urls({each.feed for each in live.values() if each.feed})
    start = identifier_start()
    payloads = records.payloads(live, prefix, {each.item: f"{start}{each.name}" for each in entries})
    for entry in entries:
        number, content = _number(entry, terms), live.get(entry.item)
        if content is None:
            yield f"<record>{records.header(replace(entry, deleted=True), number, start)}</record>\n".encode()
            continue
        header, about = (
            records.header(entry, number, start),
            records.about(content, base_urls.get(content.feed or 0, "")),
        )
        parts = (header.encode(), payloads[entry.item], about.encode())
        yield b"<record>%b<metadata>%b</metadata>%b</record>\n" % parts


def _base_urls(feeds: Collection[int]) -> dict[int, str]:
    """Where the records came from, as far as that is an address of the web."""
    rows = Feed.objects.filter(pk__in=feeds, base_url__startswith="http").values_list("pk", "base_url")
    return dict(rows) if feeds else {}


def _token(page: Page) -> bytes:
    """Absent where one page holds all, empty on the last of several (section 3.5)."""
    if page.following is None and not page.state.cursor:
        return b""
    token = tokens.written(page.following) if page.following else ""
    size = max(page.state.size, page.state.cursor + len(page.entries))
    return (
        f'<resumptionToken completeListSize="{size}" cursor="{page.state.cursor}">{token}</resumptionToken>\n'.encode()
    )
