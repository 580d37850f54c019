"""The values of live search: a question, the request to one source that follows from it, and what the source answers.

No Django and no network access.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lxml import etree

from harvesting.live.options import Options
from harvesting.types import Observation
from metadata.issue import Issue
from metadata.record import BibliographicRecord

# The fields that a word of a question can be limited to.
ANY = "any"
TITLE = "title"
CREATOR = "creator"
PUBLISHER = "publisher"
SUBJECT = "subject"
ISBN = "isbn"
ISSN = "issn"
LANGUAGE = "language"
NDC = "ndc"
DESCRIPTION = "description"
FIELDS = (ANY, TITLE, CREATOR, PUBLISHER, SUBJECT, ISBN, ISSN, LANGUAGE, NDC, DESCRIPTION)
YEAR = "year"  # what `Years` limits; as `Refused.field`

MAX_HITS = 50  # records that are used of one answer
MAX_BYTES = 2_000_000  # of one answer; a larger one is an error
NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or with `phrase` several that follow each other. field: one of FIELDS."""

    field: str
    text: str
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class Years:
    """Published from the first to the last year, both included; None = no limit."""

    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class AllOf:
    """All parts apply."""

    parts: "tuple[Question, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part applies."""

    parts: "tuple[Question, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not apply. Stands only within `AllOf`."""

    part: "Question"


type Question = Word | Years | AllOf | AnyOf | Not


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSource:
    """One catalogue that is asked live.

    number: the repository number. names: language ("ja", "en") → name. kind: the name of its transport, such as
    "live-sru". address: as registered. options: `Feed.live_options`, see `options_of` of each kind.
    """

    number: str
    names: Mapping[str, str]
    kind: str
    address: str
    options: Mapping[str, object] = NO_OPTIONS


@dataclass(frozen=True, slots=True)
class Refused:
    """A part of the question that a source does not support, so that the request leaves it out or changes it.

    code: "field" (it cannot search this field), "anywhere" (the word is asked for, but in all fields), "range" (years),
    "not", "or", "phrase" (the words are asked for, but not as a phrase), "characters" (its character encoding lacks
    one). field: the field that it concerned, one of FIELDS or YEAR; "" = none.
    """

    code: str
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A GET request to a live source.

    url: absolute, with all parameters. params: the parameters that were filled in, name → value, for people. headers:
    of HTTP. refused: the parts of the question that are left out. empty: no part is left, so `url` must not be fetched.
    follow: the page of the source where readers can continue the search; all that a source that is only a link has.
    """

    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()
    empty: bool = False
    follow: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawHit:
    """One record of an answer before it is converted. Its data is `root`, or `payload` if that is None.

    link: as in LiveHit. issues: those that were found before the conversion.
    """

    link: str = ""
    payload: bytes = b""
    root: etree._Element | None = field(default=None, compare=False, repr=False)
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The records of an answer before they are converted, at most MAX_HITS. total, observations: as in Answer."""

    hits: tuple[RawHit, ...] = ()
    total: int | None = None
    observations: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveHit:
    """One record of an answer, as the crosswalks read it.

    link: its page at the source, http or https; "" = the source gives none. issues: what the checks found.
    """

    record: BibliographicRecord
    link: str = ""
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a source: at most MAX_HITS records in its order.

    total: the number of hits that it states, None = none. rejected: the issues of each record that could not be read.
    observations: what is odd in the answer as a whole.
    """

    records: tuple[LiveHit, ...] = ()
    total: int | None = None
    rejected: tuple[tuple[Issue, ...], ...] = ()
    observations: tuple[Observation, ...] = ()


class LiveError(Exception):
    """A source did not answer the question. code: a key of `harvesting.live.messages`. detail: what it said."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail[:300]


@dataclass(frozen=True, slots=True)
class Page:
    """A document that describes a source: its address after redirects, its bytes and its media type."""

    url: str
    body: bytes
    content_type: str = ""


type Fetch = Callable[[str, Mapping[str, str]], Page]  # address and further parameters; raises TransportError


@dataclass(frozen=True, slots=True)
class Described:
    """The options that the description of a source suggests. example: a record as received, for mapping its fields."""

    options: Options
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProtocol:
    """What a kind of live source can do; see the functions of the same names in `asking`.

    check_address, check: what is wrong with an address, and with the options, as a code; "" = nothing.
    """

    request_for: Callable[[LiveSource, Question, int, int], Request]
    find: Callable[[LiveSource, bytes, str], Found]
    describe: Callable[[Fetch, str, str], Described]
    check_address: Callable[[str], str]
    check: Callable[[Options], str]


def total_of(text: str, hits: int) -> tuple[int | None, tuple[Observation, ...]]:
    """Return the number of hits that a source states; None, and an observation, if the answer has more than that."""
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        return None, ()
    if int(text) < hits:
        return None, (Observation(code="live.wrong_total", facts={"stated": text, "count": hits}),)
    return int(text), ()


def words_of(question: Question) -> Iterator[Word]:
    """Yield the words of a question that are asked for, not those that are excluded."""
    match question:
        case Word():
            yield question
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from words_of(part)
