"""What broke on the way, as a TransportError that says what to do. Knows the exceptions of requests; asks nothing."""

import ssl
from collections.abc import Iterator

from requests.exceptions import InvalidSchema, InvalidURL, MissingSchema, ReadTimeout, SSLError
from urllib3.exceptions import ReadTimeoutError

from harvesting.http.addresses import bad_url
from harvesting.types import TransportError

# X509_V_ERR_… of OpenSSL's x509_vfy.h -> what a librarian can act on.
CERTIFICATE_REASONS = {
    2: "incomplete_chain",  # no issuer
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "unknown_authority",  # self-signed certificate in the chain
    20: "incomplete_chain",  # no local issuer: an intermediate is missing, or the authority is not public
    21: "incomplete_chain",  # the first certificate cannot be verified
    62: "host_name",
    64: "host_name",  # IP address mismatch
}
TOO_MANY_HEADERS = ("got more than", "header line", "Header section")  # http.client's words


def explain(url: str, error: Exception, *, late: bool) -> TransportError:
    """late: the deadline had passed, which explains whatever followed from it."""
    if isinstance(error, TransportError):
        error.facts.setdefault("url", url)
        return error
    if late:
        return too_late(url, "deadline")
    if isinstance(error, ReadTimeout | ReadTimeoutError | TimeoutError):
        return too_late(url, "read")
    if isinstance(error, InvalidURL | InvalidSchema | MissingSchema):
        return bad_url(url, "malformed")
    return _tls(url, error) if isinstance(error, SSLError | ssl.SSLError) else _broken(url, str(error)[:300])


def too_late(url: str, reason: str) -> TransportError:
    """reason: "deadline" of the whole response, or "read" for silence."""
    return TransportError(f"{url} did not answer in time", "net.timeout", permanent=False, url=url, reason=reason)


def _broken(url: str, detail: str) -> TransportError:
    """The connection ended too early (before the response, in its headers, inside its body), or we ended it."""
    too_many = any(words in detail for words in TOO_MANY_HEADERS)
    code = "net.headers" if too_many else "net.truncated"
    return TransportError(f"{url}: {detail}", code, permanent=too_many, url=url, reason=detail)


def _tls(url: str, error: Exception) -> TransportError:
    """A certificate does not mend itself; a handshake that breaks off may."""
    refused = next((each for each in _chain(error) if isinstance(each, ssl.SSLCertVerificationError)), None)
    reason = CERTIFICATE_REASONS.get(refused.verify_code, "certificate") if refused else "handshake"
    detail = refused.verify_message if refused else str(error)[:300]
    return TransportError(
        f"No secure connection to {url}: {detail}",
        "net.tls",
        permanent=refused is not None,
        url=url,
        reason=reason,
        detail=detail,
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and all that it was made of: requests wraps urllib3, which wraps ssl."""
    waiting: list[object] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
