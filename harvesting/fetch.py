"""The one place that asks other machines for something: GET, guarded, bounded, polite. No Django.

Every address is checked where the socket is opened, redirects are followed one by one with the same checks,
a response has a deadline and a byte budget, and whatever goes wrong is a TransportError.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from types import MappingProxyType, TracebackType
from typing import Self
from urllib.parse import urlencode, urljoin, urlsplit

import requests
from requests.exceptions import InvalidSchema, InvalidURL, MissingSchema, ReadTimeout, RequestException, SSLError
from urllib3.exceptions import HTTPError, ReadTimeoutError

from harvesting.addresses import bad_url, check_url, parse_allowed_networks
from harvesting.bodies import BodyError, read_body
from harvesting.connections import Deadline, Exchange, GuardedAdapter, current_exchange
from harvesting.politeness import turn_at
from harvesting.transports.base import TransportError

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
TRANSIENT = frozenset({408, 425, 429})
LONGEST_RETRY_AFTER = 24 * 60 * 60
NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """How to ask. contact: e-mail for the From header. about_url: page about this harvester.

    allowed_networks: see `parse_allowed_networks`. min_pause, deadline, …_timeout: seconds.
    max_bytes: of one body, decoded.
    authorization: value of that header, sent only to the origin that was asked for, never along a redirect.
    """

    contact: str = ""
    about_url: str = ""
    allowed_networks: tuple[str, ...] = ()
    min_pause: float = 1.0
    deadline: float = 120.0
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    max_bytes: int = 64 * 1024 * 1024
    authorization: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A complete response of any status but a redirect.

    headers: names in lower case. body: decoded. url: as asked for, with its parameters. final_url: after redirects.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    final_url: str

    def checked(self) -> Self:
        """The same response if it is a success, else TransportError "http.<status>" (ask again or not)."""
        if 200 <= self.status < 300:
            return self
        raise TransportError(
            f"{self.url} answered with status {self.status}",
            f"http.{self.status}",
            permanent=self.status < 500 and self.status not in TRANSIENT,
            retry_after=retry_after(self.headers.get("retry-after", "")),
            url=self.url,
            status=self.status,
            final_url=self.final_url,
        )


class Fetcher:
    """One session (cookies, connections kept alive) under one policy. One request at a time."""

    def __init__(self, policy: FetchPolicy) -> None:
        self.policy = policy
        self._allowed = parse_allowed_networks(policy.allowed_networks)
        self._session = _session(policy)

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

    def fetch(self, url: str, parameters: Mapping[str, str] = NO_PARAMETERS) -> Fetched:
        """GET the URL with these parameters added to its query. Any status that is not a redirect is returned."""
        asked = target = add_query(url, parameters)
        for _ in range(MAX_REDIRECTS + 1):
            check_url(target)
            with turn_at(urlsplit(target).hostname or "", self.policy.min_pause):
                answer = self._exchange(target, with_credentials=_origin(target) == _origin(asked))
            if isinstance(answer, Fetched):
                return Fetched(
                    url=asked, status=answer.status, headers=answer.headers, body=answer.body, final_url=target
                )
            target = answer
        raise _redirect_error(asked, target, "too many")

    def _exchange(self, url: str, *, with_credentials: bool) -> "Fetched | str":
        """The response, or the URL that it redirects to."""
        policy = self.policy
        with Deadline(policy.deadline) as deadline:
            token = current_exchange.set(Exchange(self._allowed, deadline, policy.connect_timeout))
            try:
                answer = self._ask(url, with_credentials)
            except (RequestException, HTTPError, OSError, TransportError) as error:
                raise _explain(url, error, deadline) from error
            except BodyError as error:
                raise (_late(url, "deadline") if deadline.expired else error.at(url)) from error
            finally:
                current_exchange.reset(token)
            # A socket that was shut down looks like the regular end of a body without a length.
            if deadline.expired:
                raise _late(url, "deadline")
        return answer

    def _ask(self, url: str, with_credentials: bool) -> "Fetched | str":
        request = requests.Request("GET", url)
        if with_credentials and self.policy.authorization:
            request.headers["Authorization"] = self.policy.authorization
        prepared = self._session.prepare_request(request)
        timeouts = (self.policy.connect_timeout, min(self.policy.read_timeout, self.policy.deadline))
        with self._session.send(prepared, stream=True, timeout=timeouts, allow_redirects=False) as response:
            if response.status_code in REDIRECTS:
                return redirect_target(url, response)
            return Fetched(
                url=url,
                status=response.status_code,
                final_url=url,
                headers=MappingProxyType({name.lower(): value for name, value in response.headers.items()}),
                body=_body(response, self.policy.max_bytes),
            )


def retry_after(value: str) -> int:
    """Seconds that a Retry-After header asks for (seconds or HTTP date), at least 1; 0 without a usable one."""
    value = value.strip()
    try:
        seconds = float(value) if value[:1].isdigit() else parsedate_to_datetime(value).timestamp() - time.time()
        return round(min(max(seconds, 1), LONGEST_RETRY_AFTER))
    except (ValueError, OverflowError):
        return 0


def add_query(url: str, parameters: Mapping[str, str]) -> str:
    """The URL with the parameters after those that its own query has; each value is encoded once."""
    base, _, _ = url.strip().partition("#")
    if not parameters:
        return base
    joint = "?" if "?" not in base else "" if base[-1] in "?&" else "&"
    return base + joint + urlencode(parameters)


def _session(policy: FetchPolicy) -> requests.Session:
    session = requests.Session()
    session.trust_env = False  # no proxies, no .netrc
    session.adapters.clear()
    session.mount("http://", GuardedAdapter())
    session.mount("https://", GuardedAdapter())
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


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def redirect_target(url: str, response: requests.Response) -> str:
    """Where the response to this URL sends us. TransportError "net.redirects" if that is nowhere, or in the clear."""
    location = response.headers.get("Location", "").strip()
    if not location:
        # Guidelines for harvesters, section 5: a 302 without Location is not tried again.
        raise _redirect_error(url, "", "no location")
    # Headers arrive as Latin-1; a Location in UTF-8 is common all the same.
    target = urljoin(url, location.encode("latin-1").decode("utf-8", "replace"))
    if urlsplit(url).scheme == "https" and urlsplit(target).scheme == "http":
        raise _redirect_error(url, target, "downgrade")
    return add_query(target, NO_PARAMETERS)


def _redirect_error(url: str, target: str, reason: str) -> TransportError:
    return TransportError(
        f"{url} redirects to {target or 'nowhere'} ({reason})",
        "net.redirects",
        permanent=True,
        url=url,
        location=target[:500],
        reason=reason,
    )


def _body(response: requests.Response, budget: int) -> bytes:
    chunked = "chunked" in response.headers.get("Transfer-Encoding", "").lower()
    length = "" if chunked else response.headers.get("Content-Length", "")
    body = read_body(
        lambda size: response.raw.read(size, decode_content=False),
        response.headers.get("Content-Encoding", "").strip().lower(),
        int(length) if length.isdigit() else None,
        budget,
    )
    if not body and not chunked and not length and response.status_code == 200:
        # http.client takes headers that break off for complete ones.
        raise BodyError("net.truncated", "nothing after the headers", permanent=False)
    return body


def _late(url: str, reason: str) -> TransportError:
    return TransportError(f"{url} did not answer in time", "net.timeout", permanent=False, url=url, reason=reason)


def _explain(url: str, error: Exception, deadline: Deadline) -> TransportError:
    if isinstance(error, TransportError):
        error.facts.setdefault("url", url)
        return error
    if deadline.expired:
        return _late(url, "deadline")
    if isinstance(error, ReadTimeout | ReadTimeoutError | TimeoutError):
        return _late(url, "read")
    if isinstance(error, InvalidURL | InvalidSchema | MissingSchema):
        return bad_url(url, "malformed")
    reason = str(error)[:300]
    if isinstance(error, SSLError):
        # A certificate does not mend itself; a handshake that breaks off may.
        return TransportError(
            f"No secure connection to {url}: {reason}",
            "net.tls",
            permanent="CERTIFICATE" in reason,
            url=url,
            reason=reason,
        )
    # The connection ended too early: before the response, in its headers or inside its body.
    return TransportError(f"{url}: {reason}", "net.truncated", permanent=False, url=url, reason=reason)
