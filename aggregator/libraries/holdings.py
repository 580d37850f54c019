"""What each library has of a book, computed from the records of the book's members. Pure; `holding_rows` stores it.

A library has one link: its own link template goes before the links of providers, of which the best kind is taken
(NDL guideline 2.1.2 (7)). Copies are counted once however many providers report them: what two providers describe
with the same words is the same copy, but two such copies in one provider are two.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

import msgspec
from msgspec import structs

from aggregator.libraries.identify import Code, KnownLibrary, Reports, reported_library
from aggregator.libraries.provider_link import Link, LinkSource, fill_link_template, own_page
from metadata.accessible import formats_of_copy, formats_of_resource
from metadata.links import safe_href
from metadata.record import BibliographicRecord, Item, Value

MOST_COPIES = 200  # copies of one library that are stored; all are counted
LONGEST_LINK = 2000  # characters; a longer one is not used
LARGE = 2000  # bytes of a copy above which its texts are cut
LONGEST_TEXT, MOST_VALUES = 300, 10  # limits in such a copy: characters of a text, values of a field
LINK_KINDS = ("openurl", "detail", "top", "")  # the best first


class Copy(Value, frozen=True, kw_only=True, gc=False):
    """個別資料: one copy, as a record describes it. record: the permanent id of that record. link: to the copy; "" if
    it is the link of the library. accessible: keys of `metadata.accessible.FORMATS`. also: the repository numbers of
    other providers that describe it with the same words.
    """

    record: str
    item: Item = Item()
    link: str = ""
    accessible: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class Description(msgspec.Struct, frozen=True, gc=False):
    """A member of a book: the permanent id of its record, the key and number of its repository, the record."""

    public_id: str
    repository: int
    number: str
    record: BibliographicRecord


class Held(msgspec.Struct, frozen=True, gc=False):
    """What a library has of a book. copies: the first ones; count: the number of all. repositories: the keys of the
    providers that report the holding; the provider with the best link is the first.
    """

    code: Code
    library: KnownLibrary
    link: Link
    copies: tuple[Copy, ...]
    count: int
    repositories: tuple[int, ...]


class _Entry(msgspec.Struct, frozen=True, gc=False):
    """An item with the member that reports it, and the member's link to it. accessible: the formats that the member
    states of the resource.
    """

    member: Description
    item: Item
    link: Link
    accessible: tuple[str, ...]


def reports_of(members: Iterable[Description], reports: Reports) -> None:
    """Add the libraries that the members report."""
    for member in members:
        for item in _items(member):
            reports.add(reported_library(item, member.number), member.repository)


def held(
    members: Iterable[Description], libraries: Mapping[Code, KnownLibrary], sources: Mapping[int, LinkSource]
) -> tuple[Held, ...]:
    """Return what every library has of a book, in the order in which the members report them.

    libraries: those of the members, by code; sources: how to link to the providers, by the keys of repositories.
    """
    entries: defaultdict[int | Code, list[_Entry]] = defaultdict(list)
    code_of: dict[int | Code, Code] = {}
    for member in members:
        for entry in _entries(member, sources.get(member.repository, LinkSource())):
            code = reported_library(entry.item, member.number).code
            key = libraries[code].pk or code
            entries[key].append(entry)
            code_of.setdefault(key, code)
    return tuple(_held(code, libraries[code], entries[key]) for key, code in code_of.items())


def pack_copies(copies: Sequence[Copy]) -> bytes:
    """Encode copies as MessagePack."""
    return _encoder.encode(copies)


def unpack_copies(data: bytes) -> tuple[Copy, ...]:
    """Undo `pack_copies`; b"" is no copies."""
    return _decoder.decode(data) if data else ()


def accessible_in(data: bytes) -> frozenset[str]:
    """Return the accessible formats of copies as `pack_copies` returns them, decoding them only if there may be any."""
    if b"accessible" not in data:  # the name of the field, which a copy without formats lacks
        return frozenset()
    return frozenset(form for copy in unpack_copies(data) for form in copy.accessible)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Copy, ...])


def _items(member: Description) -> Sequence[Item]:
    """The items of a record; a record without items counts as one item, held by the provider."""
    return member.record.items or (Item(),)


def _entries(member: Description, source: LinkSource) -> Iterator[_Entry]:
    """The items with their links, chosen as in `provider_link`; the template is filled once for all items."""
    openurl = _short(fill_link_template(member.record, source).url) if source.link_template else ""
    home = _home_link(source.home_page)
    forms = formats_of_resource(member.record)
    for item in _items(member):
        page = "" if openurl else _short(own_page(item, member.record, source))
        if openurl or page:
            yield _Entry(member, item, Link(openurl or page, "openurl" if openurl else "detail"), forms)
        else:
            yield _Entry(member, item, home, forms)


@lru_cache(maxsize=1024)
def _home_link(home_page: str) -> Link:
    home = _short(safe_href(home_page))
    return Link(home, "top") if home else Link()


def _short(url: str) -> str:
    return url if len(url) <= LONGEST_LINK else ""


def _held(code: Code, library: KnownLibrary, entries: Sequence[_Entry]) -> Held:
    if len(entries) == 1:  # most libraries have one copy
        link = _library_link(library, entries, entries[0].link)
        return Held(code, library, link, (_copy(entries, link),), 1, (entries[0].member.repository,))
    best = min(entries, key=lambda entry: LINK_KINDS.index(entry.link.kind))  # the first of the best kind
    link = _library_link(library, entries, best.link)
    distinct = _distinct(entries)
    repositories = dict.fromkeys(entry.member.repository for entry in (best, *entries))
    copies = tuple(_copy(own, link) for own in distinct[:MOST_COPIES])
    return Held(code, library, link, copies, len(distinct), tuple(repositories))


def _library_link(library: KnownLibrary, entries: Sequence[_Entry], best: Link) -> Link:
    """The best link: by the library's own template, else from the providers, with the library's page in place of
    a provider's home page.
    """
    if library.link_template:
        own = LinkSource(link_template=library.link_template)
        urls = (_short(fill_link_template(entry.member.record, own).url) for entry in entries)
        if url := next(filter(None, urls), ""):
            return Link(url, "openurl")
    page = _short(safe_href(library.page))
    return Link(page, "top") if page and best.kind in ("top", "") else best


def _distinct(entries: Sequence[_Entry]) -> list[Sequence[_Entry]]:
    """The entries, repetitions together. What one provider repeats counts once. Of the entries that several providers
    describe with the same words, there are as many as the provider with the most of them has.
    """
    within: dict[tuple[int, str, Item], _Entry] = {}
    for entry in entries:
        item = structs.replace(entry.item, identifiers=(), see_also=())
        within.setdefault((entry.member.repository, entry.link.url, item), entry)
    counts: Counter[tuple[int, Item]] = Counter()
    between: dict[tuple[Item, int], list[_Entry]] = {}
    for (repository, _url, item), entry in within.items():
        words = structs.replace(item, uri="", **_NO_AGENT)
        counts[repository, words] += 1
        between.setdefault((words, counts[repository, words]), []).append(entry)
    return list(between.values())


_NO_AGENT = {
    **dict.fromkeys(("holding_agent", "holding_agent_transcription", "library_code"), ""),
    **dict.fromkeys(("holding_agent_names", "holding_agent_identifiers"), ()),
}


def _copy(entries: Sequence[_Entry], link: Link) -> Copy:
    entry, *others = entries
    own = entry.link.url if entry.link.kind in ("openurl", "detail") and entry.link.url != link.url else ""
    also = tuple([other.member.number for other in others])
    of_copy = formats_of_copy(entry.item) if entry.item.notes else ()
    forms = tuple(dict.fromkeys((*entry.accessible, *of_copy))) if of_copy else entry.accessible
    copy = Copy(record=entry.member.public_id, item=entry.item, link=own, accessible=forms, also=also)
    if len(_encoder.encode(copy)) <= LARGE:
        return copy
    return structs.replace(copy, item=structs.replace(entry.item, **dict(_cut(entry.item))))


def _cut(item: Item) -> Iterator[tuple[str, object]]:
    """The fields of a large item, cut to what a page can show."""
    for name in item.__struct_fields__:
        value = getattr(item, name)
        if isinstance(value, str):
            yield name, value[:LONGEST_TEXT]
        else:
            yield name, tuple(chain.from_iterable(map(_cut_value, value[:MOST_VALUES])))


def _cut_value(value: object) -> Iterator[object]:
    """The value, cut if it is a text; nothing if it is something else and large."""
    if isinstance(value, str):
        yield value[:LONGEST_TEXT]
    elif len(msgspec.msgpack.encode(value)) <= LONGEST_TEXT * 3:
        yield value
