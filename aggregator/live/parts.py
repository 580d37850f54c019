"""The answer of each live source as readers and programs get it: one part of the live search page for each source."""

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
    """A hit as the source describes it. link: its page at the source. book: the same book on this site, None = none."""

    record: BibliographicRecord
    link: str
    book: Book | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The answer of one live source so far. hits: in its order. total: the number that it states, None = none.

    refused: the parts of the question that it does not support. follow: its page where readers can continue the search,
    "" = none. at, code: as in `Reply`.
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
        """The number of hits that are also on this site."""
        return sum(hit.book is not None for hit in self.hits)


def parts(asked: Asked, catalogues: Sequence[Catalogue], may_ask: Callable[[], bool], is_last: bool) -> list[Part]:
    """Return a part for each live source, and start to ask those that have not been. A fixed number of queries.

    is_last: the page will not be requested again, so sources that have not answered get the state LATE.
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
    except LiveError:  # the registered options cannot be used
        return Inquiry(catalogue, Request(url="", empty=True))


def _unsent(inquiry: Inquiry) -> Reply:
    """Return the reply for a source to which no request is sent: LINK or UNASKED."""
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
    """Return for how many sources the search has ended, with or without an answer."""
    return sum(part.state is not State.ASKING for part in shown)
