"""The one place that asks other machines for something: guarded, bounded, polite. No Django.

Every address is checked where the socket is opened, redirects are followed one by one with the same checks,
a response has a deadline and a byte budget, and whatever goes wrong is a TransportError.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from tempfile import SpooledTemporaryFile
from types import MappingProxyType, TracebackType
from typing import IO, Literal, Self
from urllib.parse import urlsplit

import requests
from requests.cookies import RequestsCookieJar
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from harvesting.http.addresses import check_url, parse_allowed_networks
from harvesting.http.authorization import NO_CREDENTIALS, Credentials
from harvesting.http.bodies import BodyError, Framing, read_body
from harvesting.http.bot_walls import LOOKED_AT, bot_wall
from harvesting.http.connections import Deadline, Exchange, GuardedAdapter, current_exchange
from harvesting.http.failures import explain, too_late
from harvesting.http.headers import charset, content_length, content_notices, is_gzip_file, retry_after
from harvesting.http.politeness import ThreadTurns, Turns
from harvesting.http.redirects import NO_PARAMETERS, REDIRECTS, Path, Step
from harvesting.types import Observation, Tally, TransportError

TRANSIENT = frozenset({408, 425, 429})
IN_MEMORY = 8 * 1024 * 1024  # bytes of a spooled body before it goes to the disk
CHUNKED_READ = 8 * 1024  # http.client keeps each of a million one-byte chunks as an object of its own
SPOOL_RATE = 256 * 1024  # bytes that earn a spooled body another second
MOST_COOKIES = 50
LARGEST_RECEIPT = 64 * 1024  # bytes of the answer to what we deliver
COOKIE_BYTES = 16 * 1024
DEFAULT_PORTS = {"http": 80, "https": 443}
IN_THIS_PROCESS = ThreadTurns()

type Method = Literal["GET", "POST"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """How to ask. contact: e-mail for the From header. about_url: page about this harvester.

    allowed_networks: see `parse_allowed_networks`. min_pause, deadline, …_timeout: seconds.
    max_bytes: of one body, decoded.
    credentials: sent only to the origins of the URLs in `credentials_for`, whoever redirects where.
    ca_certificate: PEM of authorities trusted beside the public ones. turns: who may ask which host when.
    """

    contact: str = ""
    about_url: str = ""
    allowed_networks: tuple[str, ...] = ()
    min_pause: float = 1.0
    deadline: float = 120.0
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    max_bytes: int = 64 * 1024 * 1024
    credentials: Credentials = field(default=NO_CREDENTIALS, repr=False)
    credentials_for: tuple[str, ...] = ()
    ca_certificate: str = field(default="", repr=False)
    turns: Turns = field(default_factory=lambda: IN_THIS_PROCESS, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A complete response of any status but a redirect.

    headers: names in lower case. url: as asked for, with its parameters. final_url: after redirects.
    body: without the encoding of the way; a resource that is itself a gzip file (.gz, application/gzip) stays one.
    stream: the body of a spooled success, at position 0; the caller closes it. Empty otherwise.
    notices: what was odd about the way or the headers. asked_as: the User-Agent and From we sent.
    wall: whose protection against robots this is, "" for none.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)
    stream: IO[bytes] = field(default_factory=BytesIO, repr=False, compare=False)
    final_url: str
    observations: tuple[Observation, ...] = ()
    asked_as: str = ""
    wall: str = ""

    @property
    def charset(self) -> str:
        """As the Content-Type says, "" where it does not."""
        return charset(self.headers.get("content-type", ""))

    def checked(self) -> Self:
        """The same response if it is a success, else TransportError "http.<status>" (ask again or not).

        "http.bot_wall" where a protection against robots answered in the provider's place, with any status.
        """
        if self.wall:
            raise self._refusal("http.bot_wall", f"{self.wall} keeps us from {self.url}", permanent=True)
        if 200 <= self.status < 300:
            return self
        permanent = self.status < 500 and self.status not in TRANSIENT
        raise self._refusal(
            f"http.{self.status}", f"{self.url} answered with status {self.status}", permanent=permanent
        )

    def _refusal(self, code: str, message: str, *, permanent: bool) -> TransportError:
        error = TransportError(
            message,
            code,
            permanent=permanent,
            retry_after=retry_after(self.headers.get("retry-after", "")),
            url=self.url,
            status=self.status,
            final_url=self.final_url,
        )
        if self.wall:
            error.facts.update(wall=self.wall, us=self.asked_as)
        return error


@dataclass(frozen=True, slots=True)
class _Order:
    """What the caller wants beside the URL."""

    headers: Mapping[str, str]
    max_bytes: int
    spool: bool
    body: bytes = b""  # of a POST, instead of a form


class Fetcher:
    """One session (cookies, connections kept alive) under one policy. One request at a time.

    TransportError "credentials.header" or "net.ca_certificate" where the policy cannot be followed.
    tally: counts every request, those that follow a redirect too.
    """

    def __init__(self, policy: FetchPolicy, tally: Tally | None = None) -> None:
        if not policy.credentials.usable:
            raise TransportError("the credentials do not fit into a header", "credentials.header", permanent=True)
        self.policy = policy
        self._tally = tally or Tally()
        self._allowed = parse_allowed_networks(policy.allowed_networks)
        self._session = _session(policy)
        self._cookies: dict[str, RequestsCookieJar] = {}
        self._origins = {_origin(url) for url in policy.credentials_for}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._session.close()

    def fetch(
        self,
        url: str,
        parameters: Mapping[str, str] = NO_PARAMETERS,
        *,
        method: Method = "GET",
        headers: Mapping[str, str] = NO_PARAMETERS,
        max_bytes: int | None = None,
        spool: bool = False,
    ) -> Fetched:
        """Ask for the URL with these parameters: added to its query, or as the form of a POST.

        headers: more of them, for conditional requests. max_bytes: instead of the policy's. spool: a success is
        written to a temporary file, and the deadline grows with what has arrived. Any status that is not a
        redirect is returned, 304 too.
        """
        order = _Order(headers, self.policy.max_bytes if max_bytes is None else max_bytes, spool)
        path = Path(url, parameters, method)
        left = self.policy.deadline
        try:
            while True:
                check_url(path.step.url)
                host = urlsplit(path.step.url).hostname or ""
                with self.policy.turns.turn(host, self.policy.min_pause), Deadline(left) as deadline:
                    fetched = self._exchange(path.step, order, deadline)
                    left = deadline.remaining()
                if fetched.status not in REDIRECTS:
                    return replace(fetched, url=path.asked, observations=(*path.observations, *fetched.observations))
                path.follow(fetched.status, fetched.headers.get("location", ""))
        except TransportError as error:
            self._hide_secrets(error)
            raise

    def deliver(self, url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        """POST these bytes once. A redirect is returned like any other answer: what is sent goes nowhere else."""
        check_url(url)
        order = _Order(headers, LARGEST_RECEIPT, False, body)
        host = urlsplit(url).hostname or ""
        with self.policy.turns.turn(host, self.policy.min_pause), Deadline(self.policy.deadline) as deadline:
            return self._exchange(Step("POST", url), order, deadline)

    def _exchange(self, step: Step, order: _Order, deadline: Deadline) -> Fetched:
        """One request and its response; of a redirect only the head is read."""
        self._tally.requests += 1
        token = current_exchange.set(Exchange(self._allowed, deadline, self.policy.connect_timeout))
        try:
            fetched = self._ask(step, order, deadline)
        except BodyError as error:
            raise (too_late(step.url, "deadline") if deadline.expired else error.at(step.url)) from error
        except (RequestException, HTTPError, OSError, ValueError, TransportError) as error:
            raise explain(step.url, error, late=deadline.expired) from error
        finally:
            current_exchange.reset(token)
        # A socket that was shut down looks like the regular end of a body without a length.
        if deadline.expired:
            fetched.stream.close()
            raise too_late(step.url, "deadline")
        return fetched

    def _ask(self, step: Step, order: _Order, deadline: Deadline) -> Fetched:
        prepared = self._prepare(step, order)
        timeouts = (self.policy.connect_timeout, min(self.policy.read_timeout, self.policy.deadline))
        with self._session.send(prepared, stream=True, timeout=timeouts, allow_redirects=False) as response:
            _limit(self._session.cookies)
            redacted = self.policy.credentials.redacted
            headers = MappingProxyType({name.lower(): redacted(value) for name, value in response.headers.items()})
            fetched = Fetched(
                url=step.url,
                status=response.status_code,
                final_url=step.url,
                headers=headers,
                asked_as=_signature(self.policy),
            )
            return fetched if fetched.status in REDIRECTS else self._read(response, fetched, order, deadline)

    def _prepare(self, step: Step, order: _Order) -> requests.PreparedRequest:
        """Cookies go back to the host that set them and nowhere else; so do credentials to their origin."""
        self._session.cookies = self._cookies.setdefault(urlsplit(step.url).hostname or "", RequestsCookieJar())
        headers = dict(order.headers)
        if _origin(step.url) in self._origins:
            headers |= self.policy.credentials.headers()
        sent = order.body or (dict(step.form) if step.method == "POST" else None)
        return self._session.prepare_request(requests.Request(step.method, step.url, headers=headers, data=sent))

    def _read(self, response: requests.Response, fetched: Fetched, order: _Order, deadline: Deadline) -> Fetched:
        spooled = order.spool and 200 <= fetched.status < 300
        out: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY) if spooled else BytesIO()  # noqa: SIM115

        clean = self.policy.credentials.redacting(out.write)
        most = CHUNKED_READ if _is_chunked(fetched.headers) else IN_MEMORY

        def read(size: int) -> bytes:
            data: bytes = response.raw.read(min(size, most), decode_content=False)
            if spooled:
                deadline.extend(len(data) / SPOOL_RATE)
            return data

        try:
            found = read_body(read, clean.write, _framing(fetched, order.max_bytes))
            clean.finish()
            _refuse_broken_head(fetched, out.tell())
        except BaseException:
            out.close()
            raise
        fetched = _with_findings(fetched, found, out)
        if isinstance(out, BytesIO):  # whose value costs no second copy
            return replace(fetched, body=out.getvalue())
        return replace(fetched, stream=out)

    def _hide_secrets(self, error: TransportError) -> None:
        """A server may put what it was sent into what we report of it."""
        credentials = self.policy.credentials
        if not credentials.secret:
            return
        error.message = credentials.redacted(error.message)
        error.args = (error.message,)
        error.facts = {
            name: credentials.redacted(value) if isinstance(value, str) else value
            for name, value in error.facts.items()
        }
        error.__cause__, error.__suppress_context__ = None, True  # its words are in the facts


class _Session(requests.Session):
    """requests reads the whole body of a redirect, however large, to find out where it leads; we follow ourselves."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


def _session(policy: FetchPolicy) -> requests.Session:
    session = _Session()
    session.trust_env = False  # no proxies, no .netrc
    session.adapters.clear()
    session.mount("http://", GuardedAdapter())
    try:
        session.mount("https://", GuardedAdapter(policy.ca_certificate))
    except ValueError as error:
        raise TransportError("the certificate authority is no PEM", "net.ca_certificate", permanent=True) from error
    about = f" (+{policy.about_url})" if policy.about_url else ""
    # Guidelines for harvesters, section 2.1: who is asking, and whom to write to.
    session.headers.update(
        {
            "User-Agent": f"library-aggregator/1.0{about}",
            "Accept": "text/xml, application/xml;q=0.9, */*;q=0.5",
            "Accept-Encoding": "gzip",
        }
    )
    if policy.contact:
        session.headers["From"] = policy.contact
    return session


def _signature(policy: FetchPolicy) -> str:
    about = f" (+{policy.about_url})" if policy.about_url else ""
    return f"User-Agent: library-aggregator/1.0{about}; From: {policy.contact or '-'}"


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


def _limit(cookies: RequestsCookieJar) -> None:
    """A session needs a few cookies; a server that sends ever more of them would fill the memory."""
    if len(cookies) > MOST_COOKIES or sum(len(each.name) + len(each.value or "") for each in cookies) > COOKIE_BYTES:
        cookies.clear()


def _is_chunked(headers: Mapping[str, str]) -> bool:
    return "chunked" in headers.get("transfer-encoding", "").lower()


def _framing(fetched: Fetched, budget: int) -> Framing:
    headers = fetched.headers
    return Framing(
        encoding=headers.get("content-encoding", "").strip().lower(),
        length=-1 if _is_chunked(headers) else content_length(headers.get("content-length", "")),
        budget=budget,
        gzip_file=is_gzip_file(fetched.url, headers),
    )


def _refuse_broken_head(fetched: Fetched, received: int) -> None:
    """http.client takes headers that break off for complete ones."""
    headers = fetched.headers
    if not received and not _is_chunked(headers) and not headers.get("content-length") and fetched.status == 200:
        raise BodyError("net.truncated", "nothing after the headers", permanent=False)


def _with_findings(fetched: Fetched, found: str, body: IO[bytes]) -> Fetched:
    """found: the encoding that the body had. The body is at its start afterwards."""
    body.seek(0)
    start = body.read(LOOKED_AT)
    body.seek(0)
    observations = tuple(content_notices(fetched.url, fetched.headers, found, start)) if start else ()
    return replace(fetched, observations=observations, wall=bot_wall(fetched.status, fetched.headers, start))
