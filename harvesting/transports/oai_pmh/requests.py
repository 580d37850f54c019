"""One question to an OAI-PMH provider until it is answered: repeated, read strictly, rescued, or given up.

Which questions are asked in which order is not known here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Literal, Protocol

from lxml import etree

from harvesting.http.bot_walls import bot_wall
from harvesting.http.fetch import Fetched
from harvesting.transports.oai_pmh.envelope import is_envelope, read_content, read_envelope, read_error, response_date
from harvesting.transports.oai_pmh.repair import Damage, mended_root, rescue
from harvesting.transports.oai_pmh.responses import Page, read_page
from harvesting.transports.oai_pmh.stream import is_large, read_large
from harvesting.transports.patience import Budget, Patience
from harvesting.types import Observation, TransportError

type Method = Literal["GET", "POST"]

# A broken answer may be an accident on the way and is asked for again; the same damage twice is none.
DAMAGED = frozenset({"xml.malformed", "oai.not_oai", "oai.no_answer"})
# Statuses that the other method may help against.
NO_GET = frozenset({405, 414, 501})
NO_POST = frozenset({405, 501})
USUAL_DAMAGE = 3  # broken pages that came twice the same; of further ones nobody expects the second to be better


class Fetch(Protocol):
    """The function that asks the network: a response of any status, or TransportError."""

    def __call__(
        self, url: str, parameters: Mapping[str, str], /, *, method: Method = "GET", spool: bool = False
    ) -> Fetched: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request for a page of a list, or for a record.

    ends: tells whether an OAI-PMH error means the end of the list; the page then carries that error.
    once: the provider would answer the next time with something else. tries: at most so many, 0 = as usual.
    """

    arguments: Mapping[str, str]
    ends: Callable[[str], bool] = lambda code: False
    asked_set: str = ""
    once: bool = False
    tries: int = 0


class Asker:
    """One base URL. encoding: what is really sent there, "" = as declared."""

    def __init__(
        self, base_url: str, fetch: Fetch, patience: Patience, method: str = "GET", encoding: str = ""
    ) -> None:
        self.base_url = base_url
        self._fetch = fetch
        self._patience = patience
        self._method: Method = "POST" if method == "POST" else "GET"
        self._encoding = encoding
        self._usual_damage = 0
        self._budget = Budget()
        self._notices: list[Observation] = []

    def begin(self) -> None:
        """A new list is read: its repetitions are counted anew."""
        self._budget = Budget()

    def root(self, arguments: Mapping[str, str], tries: int = 0) -> etree._Element:
        """The <OAI-PMH> element of an answer that is no list of records."""
        question = Question(arguments=arguments, tries=tries)
        return self._repeated(question, lambda tried: self._root_once(question, tried))

    def page(self, question: Question) -> Page:
        """The answer to a list request or GetRecord, with what was odd about it."""
        if question.once:
            question = replace(question, tries=1)
        page = self._repeated(question, lambda tried: self._page_once(question, tried))
        observations, self._notices = tuple(self._notices), []
        return replace(page, observations=(*observations, *page.observations)) if observations else page

    def _repeated[T](self, question: Question, ask: Callable[[int], T]) -> T:
        last: TransportError | None = None
        tried = 0
        while True:
            try:
                return ask(tried)
            except TransportError as error:
                tried += 1
                self._name(error, question.arguments)
                wait = None if _same_damage(error, last) else self._patience.wait(error, tried, question.tries)
                if wait is None or not self._budget.take():
                    raise
                last = error
            self._patience.sleep(wait)

    def _root_once(self, question: Question, tried: int) -> etree._Element:
        arguments = question.arguments
        fetched = self._fetched(arguments, spool=False)
        self._refuse_status(fetched, question, tried)
        try:
            root = read_envelope(fetched.body, fetched.headers.get("content-type", ""), self._encoding)
        except TransportError as error:
            fetched.checked()
            if not tried:
                raise
            root = mended_root(self._damage(fetched, fetched.body, arguments), error)
        refusal = read_error(root)
        if refusal is not None:
            raise refusal
        _refuse_failure(fetched)
        read_content(root, arguments["verb"])  # here, so that a response without it is asked for again
        return root

    def _page_once(self, question: Question, tried: int) -> Page:
        fetched = self._fetched(question.arguments, spool=True)
        if fetched.status < 300 and is_large(fetched.stream):
            page = self._large(fetched, question, tried)
        else:
            page = self._small(_read(fetched), question, tried)
        if page.error is None:
            _refuse_failure(fetched)
        elif not question.ends(page.error.code):
            raise page.error
        if tried or fetched.observations:
            page = replace(page, repeated=tried > 0, observations=(*fetched.observations, *page.observations))
        return page

    def _small(self, fetched: Fetched, question: Question, tried: int) -> Page:
        self._refuse_status(fetched, question, tried)
        try:
            root = read_envelope(fetched.body, fetched.headers.get("content-type", ""), self._encoding)
        except TransportError as error:
            fetched.checked()  # a wall against robots comes with status 200, too
            return self._rescued(self._damage(fetched, fetched.body, question.arguments), question, tried, error)
        refusal = read_error(root)
        if refusal is not None:
            return Page(error=refusal, response_date=response_date(root))
        try:
            return read_page(root, question.arguments["verb"], question.asked_set)
        except TransportError as nothing:
            if fetched.status >= 300 or not question.ends(nothing.code):
                raise
            return Page(error=nothing, response_date=response_date(root))

    def _refuse_status(self, fetched: Fetched, question: Question, tried: int) -> None:
        """Errors of the protocol come with 404 or 422 too, and with 500 from a server that takes them for its own:
        that there are no records is believed at once, others when they stay. A busy server (503) has none."""
        if 400 <= fetched.status < 500 and is_envelope(fetched.body):
            return
        if fetched.status >= 500 and fetched.status != 503:
            told = _told_error(fetched.body, self._encoding)
            if told == "oai.noRecordsMatch" or (told and self._patience.is_last(tried + 1, question.tries)):
                return
        _refuse_failure(fetched)

    def _large(self, fetched: Fetched, question: Question, tried: int) -> Page:
        try:
            return read_large(fetched.stream, question.arguments["verb"], question.asked_set, self._encoding)
        except TransportError as error:
            fetched.stream.seek(0)
            damage = self._damage(fetched, fetched.stream.read(), question.arguments)
            return self._rescued(damage, question, tried, error)

    def _rescued(self, damage: Damage, question: Question, tried: int, error: TransportError) -> Page:
        """What can be saved of a page that was broken twice; the first time it may be an accident on the way."""
        last = self._patience.is_last(tried + 1, question.tries)
        if not (tried or last or self._usual_damage >= USUAL_DAMAGE):
            raise error
        page = rescue(replace(damage, asked_set=question.asked_set), error)
        self._usual_damage += 1
        return page

    def _damage(self, fetched: Fetched, body: bytes, arguments: Mapping[str, str]) -> Damage:
        return Damage(
            body=body, url=fetched.url, verb=arguments["verb"], encoding=self._encoding, charset=fetched.charset
        )

    def _fetched(self, arguments: Mapping[str, str], *, spool: bool) -> Fetched:
        """By GET; by POST where that was asked for, or where GET is refused."""
        fetched = self._fetch(self.base_url, arguments, method=self._method, spool=spool)
        other: Method = "GET" if self._method == "POST" else "POST"
        refused = NO_POST if self._method == "POST" else NO_GET
        if fetched.status not in refused or bot_wall(fetched.status, fetched.headers, fetched.body):
            return fetched
        again = self._fetch(self.base_url, arguments, method=other, spool=spool)
        if not 200 <= again.status < 300:
            return fetched
        self._method = other
        self._notices.append(Observation(code="oai.method", facts={"method": other, "status": fetched.status}))
        return again

    def _name(self, error: TransportError, arguments: Mapping[str, str]) -> None:
        """Say in the facts what was asked, for the message."""
        error.facts.setdefault("url", self.base_url)
        for name, value in arguments.items():
            error.facts.setdefault(name, value[:500])


def _read(fetched: Fetched) -> Fetched:
    """A response whose body is in memory."""
    if fetched.status >= 300:
        return fetched
    with fetched.stream:
        return replace(fetched, body=fetched.stream.read(), stream=BytesIO())


def _told_error(body: bytes, encoding: str) -> str:
    """The code of the error of the protocol in a body, "" if there is none that the protocol knows."""
    try:
        error = read_error(read_envelope(body, encoding=encoding))
    except TransportError:
        return ""
    return "" if error is None or error.code == "oai.unknown" else error.code


def _refuse_failure(fetched: Fetched) -> None:
    if fetched.status >= 300:
        fetched.checked()


def _same_damage(error: TransportError, last: TransportError | None) -> bool:
    """The same broken answer twice is no accident: final for the first page, where the base URL may be wrong; in
    the middle of a list a page for people, or half a page, may be passing maintenance."""
    if last is None or error.code not in DAMAGED or error.code != last.code or error.facts != last.facts:
        return False
    error.permanent = error.code != "xml.malformed" and "resumptionToken" not in error.facts
    return True
