"""Makes one OAI-PMH request: with retries, strict parsing, and recovery of broken responses.

Which requests are made in which order is decided elsewhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Literal, Protocol

from lxml import etree

from core.temporary_files import Spooled
from harvesting.http.bot_walls import bot_wall
from harvesting.http.fetch import Fetched
from harvesting.transports.oai_pmh import recognition
from harvesting.transports.oai_pmh.envelope import is_envelope, read_content, read_envelope, read_error, response_date
from harvesting.transports.oai_pmh.repair import BrokenResponse, repaired_root, salvage_page
from harvesting.transports.oai_pmh.responses import Page, read_page
from harvesting.transports.oai_pmh.stream import is_large, read_large
from harvesting.transports.retries import RetryBudget, RetryPolicy
from harvesting.types import Observation, Recognise, TransportError, recognise_nothing

type Method = Literal["GET", "POST"]

# A broken response may be a transmission error and is requested again; the same damage twice is not.
RETRIED_DAMAGE = frozenset({"xml.malformed", "oai.not_oai", "oai.no_answer"})
# Statuses after which the other method is tried: POST after GET, GET after POST.
GET_REFUSED = frozenset({405, 414, 501})
POST_REFUSED = frozenset({405, 501})
MAX_RETRIED_DAMAGE = 3  # pages whose retry was broken too; further broken pages are salvaged without a retry


class Fetch(Protocol):
    """The type of the function that makes HTTP requests: returns a response of any status or raises TransportError."""

    def __call__(
        self, url: str, parameters: Mapping[str, str], /, *, method: Method = "GET", spool: bool = False
    ) -> Fetched: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OaiRequest:
    """One request for a page of a list, or for a record.

    is_list_end: whether an OAI-PMH error code means the end of the list; the page then carries that error.
    requested_set: the set whose records are requested, "" for all.
    unrepeatable: the provider would answer the same request differently the next time.
    max_attempts: the most attempts for this request, if fewer than the retry policy allows; 0 = as the policy.
    recognise: says which records are known and need not be read.
    """

    arguments: Mapping[str, str]
    is_list_end: Callable[[str], bool] = lambda code: False
    requested_set: str = ""
    unrepeatable: bool = False
    max_attempts: int = 0
    recognise: Recognise = recognise_nothing


class OaiClient:
    """Makes requests to one base URL. encoding: the encoding that is really used there, "" = as declared."""

    def __init__(
        self, base_url: str, fetch: Fetch, retry_policy: RetryPolicy, method: str = "GET", encoding: str = ""
    ) -> None:
        self.base_url = base_url
        self._fetch = fetch
        self._retry_policy = retry_policy
        self._method: Method = "POST" if method == "POST" else "GET"
        self._encoding = encoding
        self._retried_damage = 0
        self._budget = RetryBudget()
        self._observations: list[Observation] = []

    def start_list(self) -> None:
        """Start reading a new list, which gets a retry budget of its own."""
        self._budget = RetryBudget()

    def fetch_root(self, arguments: Mapping[str, str], max_attempts: int = 0) -> etree._Element:
        """Return the <OAI-PMH> element of a response that is not a list of records."""
        request = OaiRequest(arguments=arguments, max_attempts=max_attempts)
        return self._with_retries(request, lambda attempts: self._fetch_root(request, attempts))

    def fetch_page(self, request: OaiRequest) -> Page:
        """Return the response to a list request or GetRecord.

        Its observations include those of failed attempts.
        """
        if request.unrepeatable:
            request = replace(request, max_attempts=1)
        page = self._with_retries(request, lambda attempts: self._fetch_page_once(request, attempts))
        observations, self._observations = tuple(self._observations), []
        return replace(page, observations=(*observations, *page.observations)) if observations else page

    def _with_retries[T](self, request: OaiRequest, ask: Callable[[int], T]) -> T:
        last_error: TransportError | None = None
        attempts = 0
        while True:
            try:
                return ask(attempts)
            except TransportError as error:
                attempts += 1
                self._add_request_facts(error, request.arguments)
                wait = (
                    None
                    if _is_same_damage(error, last_error)
                    else self._retry_policy.wait(error, attempts, request.max_attempts)
                )
                if wait is None or not self._budget.use_one():
                    raise
                last_error = error
            self._retry_policy.sleep(wait)

    def _fetch_root(self, request: OaiRequest, attempts: int) -> etree._Element:
        arguments = request.arguments
        fetched = self._fetch_by_either_method(arguments, spool=False)
        self._check_status(fetched, request, attempts)
        try:
            root = read_envelope(fetched.body, fetched.headers.get("content-type", ""), self._encoding)
        except TransportError as error:
            fetched.checked()
            if not attempts:
                raise
            root = repaired_root(self._broken_response(fetched, fetched.body, arguments), error)
        protocol_error = read_error(root)
        if protocol_error is not None:
            raise protocol_error
        _raise_for_status(fetched)
        read_content(root, arguments["verb"])  # so that a response without the verb's element is retried
        return root

    def _fetch_page_once(self, request: OaiRequest, attempts: int) -> Page:
        fetched = self._fetch_by_either_method(request.arguments, spool=True)
        if fetched.status < 300 and is_large(fetched.stream):
            page = self._read_large(fetched, request, attempts)
        else:
            page = self._read_small(_load_body(fetched), request, attempts)
        if page.error is None:
            _raise_for_status(fetched)
        elif not request.is_list_end(page.error.code):
            raise page.error
        if attempts or fetched.observations:
            page = replace(page, was_retried=attempts > 0, observations=(*fetched.observations, *page.observations))
        return page

    def _read_small(self, fetched: Fetched, request: OaiRequest, attempts: int) -> Page:
        self._check_status(fetched, request, attempts)
        page = self._recognised(fetched, request)
        if page is not None:
            return page
        try:
            root = read_envelope(fetched.body, fetched.headers.get("content-type", ""), self._encoding)
        except TransportError as error:
            fetched.checked()  # a bot wall may have status 200
            return self._salvage(
                self._broken_response(fetched, fetched.body, request.arguments), request, attempts, error
            )
        protocol_error = read_error(root)
        if protocol_error is not None:
            return Page(error=protocol_error, response_date=response_date(root))
        try:
            return read_page(root, request.arguments["verb"], request.requested_set)
        except TransportError as error:
            if fetched.status >= 300 or not request.is_list_end(error.code):
                raise
            return Page(error=error, response_date=response_date(root))

    def _recognised(self, fetched: Fetched, request: OaiRequest) -> Page | None:
        """The page, read without the records that are known; None if it must be read as a whole."""
        if self._encoding or fetched.status >= 300:
            return None
        verb = request.arguments["verb"]
        page = recognition.recognise(fetched.body, verb, request.requested_set, request.recognise)
        if page is None or read_error(page.root) is not None:
            return None
        try:
            read = read_page(page.root, verb, request.requested_set, page)
        except TransportError:
            return None
        return read if not page.runs or recognition.agrees(page, read.records) else None

    def _check_status(self, fetched: Fetched, request: OaiRequest, attempts: int) -> None:
        """Raise a TransportError for an error status, unless the body is an OAI-PMH error to be read.

        Some servers send OAI-PMH errors with 404 or 422. Some send them with 500: noRecordsMatch is then believed at
        once, other errors only at the last attempt. A response with 503 is never read.
        """
        if 400 <= fetched.status < 500 and is_envelope(fetched.body):
            return
        if fetched.status >= 500 and fetched.status != 503:
            protocol_error = _protocol_error_code(fetched.body, self._encoding)
            if protocol_error == "oai.noRecordsMatch" or (
                protocol_error and self._retry_policy.is_last(attempts + 1, request.max_attempts)
            ):
                return
        _raise_for_status(fetched)

    def _read_large(self, fetched: Fetched, request: OaiRequest, attempts: int) -> Page:
        try:
            return read_large(fetched.stream, request.arguments["verb"], request.requested_set, self._encoding)
        except TransportError as error:
            fetched.stream.seek(0)
            response = self._broken_response(fetched, fetched.stream.read(), request.arguments)
            return self._salvage(response, request, attempts, error)

    def _salvage(self, response: BrokenResponse, request: OaiRequest, attempts: int, error: TransportError) -> Page:
        """Salvage a page that was broken twice. The first time the error is raised: it may be a transmission error."""
        is_last = self._retry_policy.is_last(attempts + 1, request.max_attempts)
        if not (attempts or is_last or self._retried_damage >= MAX_RETRIED_DAMAGE):
            raise error
        page = salvage_page(replace(response, requested_set=request.requested_set), error)
        self._retried_damage += 1
        return page

    def _broken_response(self, fetched: Fetched, body: bytes, arguments: Mapping[str, str]) -> BrokenResponse:
        return BrokenResponse(
            body=body, url=fetched.url, verb=arguments["verb"], encoding=self._encoding, charset=fetched.charset
        )

    def _fetch_by_either_method(self, arguments: Mapping[str, str], *, spool: bool) -> Fetched:
        """Request by the registered method (GET or POST), and by the other if the provider refuses the first."""
        fetched = self._fetch(self.base_url, arguments, method=self._method, spool=spool)
        other: Method = "GET" if self._method == "POST" else "POST"
        refused = POST_REFUSED if self._method == "POST" else GET_REFUSED
        if fetched.status not in refused or bot_wall(fetched.status, fetched.headers, fetched.body):
            return fetched
        second = self._fetch(self.base_url, arguments, method=other, spool=spool)
        if not 200 <= second.status < 300:
            return fetched
        self._method = other
        self._observations.append(Observation(code="oai.method", facts={"method": other, "status": fetched.status}))
        return second

    def _add_request_facts(self, error: TransportError, arguments: Mapping[str, str]) -> None:
        """Add the URL and the arguments of the request to the facts of an error, for its message."""
        error.facts.setdefault("url", self.base_url)
        for name, value in arguments.items():
            error.facts.setdefault(name, value[:500])


def _load_body(fetched: Fetched) -> Fetched:
    """Return the response with its body in memory."""
    if fetched.status >= 300:
        return fetched
    with fetched.stream as stream:
        body = stream.content() if isinstance(stream, Spooled) else stream.read()
    return replace(fetched, body=body, stream=BytesIO())


def _protocol_error_code(body: bytes, encoding: str) -> str:
    """Return the code of the OAI-PMH error in a body, "" if there is none that the protocol defines."""
    try:
        error = read_error(read_envelope(body, encoding=encoding))
    except TransportError:
        return ""
    return "" if error is None or error.code == "oai.unknown" else error.code


def _raise_for_status(fetched: Fetched) -> None:
    if fetched.status >= 300:
        fetched.checked()


def _is_same_damage(error: TransportError, last_error: TransportError | None) -> bool:
    """Whether a response was broken in the same way twice, so that no further retry helps.

    On the first page the error becomes permanent unless it is "xml.malformed", because the base URL may be wrong. In
    the middle of a list a web page may be due to temporary maintenance.
    """
    if (
        last_error is None
        or error.code not in RETRIED_DAMAGE
        or error.code != last_error.code
        or error.facts != last_error.facts
    ):
        return False
    error.permanent = error.code != "xml.malformed" and "resumptionToken" not in error.facts
    return True
