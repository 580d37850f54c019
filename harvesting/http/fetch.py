"""The only module that sends HTTP requests to other machines: with address checks, limits and pauses. No Django.

Every address is checked when its socket is opened, redirects are followed one by one with the same checks, a response
has a deadline and a byte budget, and every failure is a TransportError.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from types import MappingProxyType, TracebackType
from typing import IO, Literal, Self
from urllib.parse import urlsplit

import requests
from requests.cookies import RequestsCookieJar
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from core import temporary_files
from harvesting.http.addresses import check_url, parse_allowed_networks
from harvesting.http.authorization import NO_CREDENTIALS, Credentials
from harvesting.http.bodies import BodyError, Framing, read_body
from harvesting.http.bot_walls import INSPECTED_BYTES, bot_wall
from harvesting.http.connections import Deadline, Exchange, current_exchange, limit_cookies, new_jar
from harvesting.http.failures import timeout_error, transport_error
from harvesting.http.headers import charset, content_length, header_observations, is_gzip_file, retry_after
from harvesting.http.politeness import HostThrottle, ThreadThrottle
from harvesting.http.redirects import NO_PARAMETERS, REDIRECTS, RedirectChain, Step
from harvesting.http.sessions import identification, new_session
from harvesting.types import Observation, Tally, TransportError

TRANSIENT = frozenset({408, 425, 429})
MEMORY_LIMIT = 8 * 1024 * 1024  # bytes of a spooled body before it goes to the disk
CHUNKED_READ_SIZE = 8 * 1024  # small, because http.client collects one-byte chunks as objects until a read is complete
SPOOL_RATE = 256 * 1024  # received bytes that extend the deadline of a spooled body by a second
MAX_RECEIPT_BYTES = 64 * 1024  # of the response to `deliver`
DEFAULT_PORTS = {"http": 80, "https": 443}
PROCESS_THROTTLE = ThreadThrottle()

type Spool = bool | Literal["beginning"]
type Method = Literal["GET", "POST", "HEAD"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """How requests are made. contact: e-mail for the From header. about_url: page about this harvester.

    allowed_networks: see `parse_allowed_networks`. operator_url: an address from the settings whose host and port may
    be internal (see `operator_hosts`); "" = none. min_pause, deadline, …_timeout: seconds.
    max_bytes: of one body, decoded. total_bytes: of all bodies of a Fetcher together, decoded; 0 = without limit.
    credentials: sent only to the origins of the URLs in `credentials_for`, wherever redirects lead.
    ca_certificate: PEM of authorities that are trusted in addition to the public ones.
    cookies: whether cookies are kept and sent back. throttle: admits one request at a time to a host.
    """

    contact: str = ""
    about_url: str = ""
    allowed_networks: tuple[str, ...] = ()
    operator_url: str = ""
    min_pause: float = 1.0
    deadline: float = 120.0
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    max_bytes: int = 64 * 1024 * 1024
    total_bytes: int = 0
    credentials: Credentials = field(default=NO_CREDENTIALS, repr=False)
    credentials_for: tuple[str, ...] = ()
    ca_certificate: str = field(default="", repr=False)
    cookies: bool = True
    throttle: HostThrottle = field(default_factory=lambda: PROCESS_THROTTLE, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A complete response of any status, to HEAD without a body; a redirect is returned only by `Fetcher.deliver`.

    headers: names in lower case. url: as requested, with its parameters. final_url: after redirects.
    body: with the Content-Encoding removed; a resource that is itself a gzip file (.gz, application/gzip) stays one.
    stream: the body of a spooled success, at position 0; the caller closes it. Empty otherwise.
    observations: oddities of the redirects and the headers. identification: the User-Agent and From that we sent.
    wall: the vendor whose bot protection answered, "" for none.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)
    stream: IO[bytes] = field(default_factory=BytesIO, repr=False, compare=False)
    final_url: str
    observations: tuple[Observation, ...] = ()
    identification: str = ""
    wall: str = ""

    @property
    def charset(self) -> str:
        """The charset of the Content-Type, "" without one."""
        return charset(self.headers.get("content-type", ""))

    def checked(self) -> Self:
        """Return this response if it is a success, else raise TransportError "http.<status>".

        "http.bot_wall" if a bot protection answered instead of the provider, with any status.
        """
        if self.wall:
            raise self._refusal("http.bot_wall", f"{self.wall} blocks access to {self.url}", permanent=True)
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
            error.facts.update(wall=self.wall, us=self.identification)
        return error


@dataclass(frozen=True, slots=True)
class _RequestOptions:
    """The caller's options for one request, apart from the URL."""

    headers: Mapping[str, str]
    max_bytes: int
    spool: bool
    body: bytes = b""  # of a POST, instead of a form
    cut: bool = False


class Fetcher:
    """One session (cookies, reused connections) under one policy. It makes one request at a time.

    TransportError "credentials.header" or "net.ca_certificate" if the policy cannot be applied.
    tally: counts every request, including those that follow a redirect.
    """

    def __init__(self, policy: FetchPolicy, tally: Tally | None = None) -> None:
        if not policy.credentials.usable:
            raise TransportError("the credentials do not fit into a header", "credentials.header", permanent=True)
        self.policy = policy
        self._tally = tally or Tally()
        self._bytes_left = policy.total_bytes
        self._allowed = parse_allowed_networks(policy.allowed_networks)
        self._operator_origin = _origin(policy.operator_url)[1:]
        self._session = new_session(policy.contact, policy.about_url, policy.ca_certificate)
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
        spool: Spool = False,
    ) -> Fetched:
        """Request the URL with these parameters, added to its query or sent as the form of a POST.

        headers: additional ones, for conditional requests. max_bytes: instead of the policy's.
        spool: a success is written to a temporary file, and the deadline is extended as data arrives.
        "beginning": if it is larger than allowed, it is cut off instead of refused.
        A response of any status that is not a redirect is returned, also of 304.
        """
        most = self.policy.max_bytes if max_bytes is None else max_bytes
        options = _RequestOptions(headers, most, bool(spool), cut=spool == "beginning")
        chain = RedirectChain(url, parameters, method)
        time_left = self.policy.deadline
        try:
            while True:
                check_url(chain.step.url)
                host = urlsplit(chain.step.url).hostname or ""
                with self.policy.throttle.turn(host, self.policy.min_pause), Deadline(time_left) as deadline:
                    fetched = self._exchange(chain.step, options, deadline)
                    time_left = deadline.remaining()
                if fetched.status not in REDIRECTS:
                    return replace(
                        fetched, url=chain.requested_url, observations=(*chain.observations, *fetched.observations)
                    )
                chain.follow(fetched.status, fetched.headers.get("location", ""))
        except TransportError as error:
            self._hide_secrets(error)
            raise

    def deliver(self, url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        """POST these bytes once. A redirect is returned, not followed, so that the bytes go to no other server."""
        check_url(url)
        options = _RequestOptions(headers, MAX_RECEIPT_BYTES, False, body)
        host = urlsplit(url).hostname or ""
        with self.policy.throttle.turn(host, self.policy.min_pause), Deadline(self.policy.deadline) as deadline:
            return self._exchange(Step("POST", url), options, deadline)

    def _exchange(self, step: Step, options: _RequestOptions, deadline: Deadline) -> Fetched:
        """Send one request and read its response; of a redirect only the headers are read."""
        self._tally.requests += 1
        token = current_exchange.set(
            Exchange(self._allowed, deadline, self.policy.connect_timeout, self._operator_origin)
        )
        try:
            fetched = self._send(step, options, deadline)
        except BodyError as error:
            raise (
                timeout_error(step.url, "deadline") if deadline.expired else error.as_transport_error(step.url)
            ) from error
        except (RequestException, HTTPError, OSError, ValueError, TransportError) as error:
            raise transport_error(step.url, error, late=deadline.expired) from error
        finally:
            current_exchange.reset(token)
        # To the reader, a socket that was shut down looks like the regular end of a body without Content-Length.
        if deadline.expired:
            fetched.stream.close()
            raise timeout_error(step.url, "deadline")
        return fetched

    def _send(self, step: Step, options: _RequestOptions, deadline: Deadline) -> Fetched:
        prepared = self._prepare(step, options)
        timeouts = (self.policy.connect_timeout, min(self.policy.read_timeout, self.policy.deadline))
        with self._session.send(prepared, stream=True, timeout=timeouts, allow_redirects=False) as response:
            limit_cookies(self._session.cookies)
            redacted = self.policy.credentials.redacted
            headers = MappingProxyType({name.lower(): redacted(value) for name, value in response.headers.items()})
            fetched = Fetched(
                url=step.url,
                status=response.status_code,
                final_url=step.url,
                headers=headers,
                identification=identification(self.policy.contact, self.policy.about_url),
            )
            has_body = fetched.status not in REDIRECTS and step.method != "HEAD"
            return self._read(response, fetched, options, deadline) if has_body else fetched

    def _prepare(self, step: Step, options: _RequestOptions) -> requests.PreparedRequest:
        """Prepare a request. Cookies are sent only to the host that set them, credentials only to their origins."""
        empty = new_jar(kept=self.policy.cookies)
        self._session.cookies = self._cookies.setdefault(urlsplit(step.url).hostname or "", empty)
        headers = dict(options.headers)
        if _origin(step.url) in self._origins:
            headers |= self.policy.credentials.headers()
        data = options.body or (dict(step.form) if step.method == "POST" else None)
        return self._session.prepare_request(requests.Request(step.method, step.url, headers=headers, data=data))

    def _read(
        self, response: requests.Response, fetched: Fetched, options: _RequestOptions, deadline: Deadline
    ) -> Fetched:
        spooled = options.spool and 200 <= fetched.status < 300
        out: IO[bytes] = temporary_files.spooled(MEMORY_LIMIT) if spooled else BytesIO()
        writer = self.policy.credentials.redacting_writer(out.write)
        max_read = CHUNKED_READ_SIZE if _is_chunked(fetched.headers) else MEMORY_LIMIT

        def read(size: int) -> bytes:
            data: bytes = response.raw.read(min(size, max_read), decode_content=False)
            if spooled:
                deadline.extend(len(data) / SPOOL_RATE)
            return data

        framing = _framing(fetched, self._budget(options))
        try:
            encoding_found = (
                _read_beginning(read, writer.write, framing) if options.cut else read_body(read, writer.write, framing)
            )
            writer.finish()
            _reject_broken_headers(fetched, out.tell())
        except BaseException:
            out.close()
            raise
        self._bytes_left -= out.tell()
        fetched = _with_observations(fetched, encoding_found, out)
        if isinstance(out, BytesIO):  # getvalue() of a BytesIO makes no second copy
            return replace(fetched, body=out.getvalue())
        return replace(fetched, stream=out)

    def _budget(self, options: _RequestOptions) -> int:
        """How many bytes the next body may have."""
        return min(options.max_bytes, max(0, self._bytes_left)) if self.policy.total_bytes else options.max_bytes

    def _hide_secrets(self, error: TransportError) -> None:
        """Remove the credentials from an error: a server may echo them in texts that we report."""
        credentials = self.policy.credentials
        if not credentials.secret:
            return
        error.message = credentials.redacted(error.message)
        error.args = (error.message,)
        error.facts = {
            name: credentials.redacted(value) if isinstance(value, str) else value
            for name, value in error.facts.items()
        }
        error.__cause__, error.__suppress_context__ = None, True  # the cause is not redacted; its text is in the facts


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


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


def _read_beginning(read: Callable[[int], bytes], write: Callable[[bytes], object], framing: Framing) -> str:
    """As `read_body`, but stop where the body is larger than allowed."""
    if framing.length > framing.budget:
        framing = replace(framing, length=-1)
    try:
        return read_body(read, write, framing)
    except BodyError as error:
        if error.code != "net.too_large":
            raise
        return ""


def _reject_broken_headers(fetched: Fetched, received: int) -> None:
    """Raise BodyError if nothing followed the headers: http.client accepts truncated headers as complete."""
    headers = fetched.headers
    if not received and not _is_chunked(headers) and not headers.get("content-length") and fetched.status == 200:
        raise BodyError("net.truncated", "nothing after the headers", permanent=False)


def _with_observations(fetched: Fetched, encoding_found: str, body: IO[bytes]) -> Fetched:
    """Add observations and a recognised bot wall. encoding_found: of the body, which is left at its start."""
    body.seek(0)
    start = body.read(INSPECTED_BYTES)
    body.seek(0)
    observations = tuple(header_observations(fetched.url, fetched.headers, encoding_found, start)) if start else ()
    return replace(fetched, observations=observations, wall=bot_wall(fetched.status, fetched.headers, start))
