"""What readers see of each catalogue: the parts of the page of the live search, and the same as values for programs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from aggregator.catalogue.books import Book, books
from aggregator.live.asking import Inquiry, Reply, State, look_up
from aggregator.live.question import Asked
from aggregator.live.sources import Catalogue
from harvesting.live.asking import request_for
from harvesting.live.types import LiveError, Question, Refused, Request
from metadata.record import BibliographicRecord


@dataclass(frozen=True, slots=True)
class Hit:
    """A hit, as the catalogue describes it. link: to its page there. book: ours, if it is one of our books."""

    record: BibliographicRecord
    link: str
    book: Book | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of one catalogue. hits: in its order. total: as it says, None if it says nothing.

    refused: what it cannot be asked. follow: where a reader can go on searching there, "" = nowhere.
    """

    catalogue: Catalogue
    state: State
    hits: tuple[Hit, ...] = ()
    total: int | None = None
    refused: tuple[Refused, ...] = ()
    follow: str = ""
    at: float = 0.0
    code: str = ""

    @property
    def own(self) -> int:
        """The number of hits that are books of ours."""
        return sum(hit.book is not None for hit in self.hits)


def parts(asked: Asked, catalogues: Sequence[Catalogue], may_ask: Callable[[], bool], is_last: bool) -> list[Part]:
    """Return a part for each catalogue, and have those asked that have not been. A fixed number of queries.

    is_last: the reader waits no longer, so that a catalogue that has not answered is said to be late.
    """
    if asked.question is None:
        return [Part(catalogue, State.UNASKED) for catalogue in catalogues]
    inquiries = [_inquiry(catalogue, asked.question) for catalogue in catalogues]
    replies = look_up([inquiry for inquiry in inquiries if not inquiry.request.empty], may_ask)
    known = [(inquiry, replies.get(inquiry.catalogue.number) or _unsent(inquiry)) for inquiry in inquiries]
    found = books(list({kept.book for _inquiry, reply in known for kept in reply.hits if kept.book}))
    return [_part(inquiry, reply, found, is_last) for inquiry, reply in known]


def _inquiry(catalogue: Catalogue, question: Question) -> Inquiry:
    try:
        return Inquiry(catalogue, request_for(catalogue.source, question))
    except LiveError:  # what was registered cannot be used
        return Inquiry(catalogue, Request(url="", empty=True))


def _unsent(inquiry: Inquiry) -> Reply:
    """Return what is said of a catalogue that is not asked."""
    return Reply(State.LINK if inquiry.catalogue.is_link and inquiry.request.follow else State.UNASKED)


def _part(inquiry: Inquiry, reply: Reply, found: dict[int, Book], is_last: bool) -> Part:
    request = inquiry.request
    return Part(
        inquiry.catalogue,
        State.LATE if is_last and reply.state is State.ASKING else reply.state,
        tuple(Hit(kept.record, kept.link, found.get(kept.book)) for kept in reply.hits),
        reply.total,
        request.refused,
        request.follow,
        reply.at,
        reply.code,
    )


def answered(shown: Iterable[Part]) -> int:
    """Return how many catalogues are not being asked any more."""
    return sum(part.state is not State.ASKING for part in shown)
