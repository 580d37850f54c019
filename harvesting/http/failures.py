"""Turns the exceptions of requests, urllib3 and ssl into a TransportError that tells what to do. No network access."""

import ssl
from collections.abc import Iterator

from requests.exceptions import InvalidSchema, InvalidURL, MissingSchema, ReadTimeout, SSLError
from urllib3.exceptions import ReadTimeoutError

from harvesting.http.addresses import bad_url_error
from harvesting.types import TransportError

# X509_V_ERR_… codes of OpenSSL's x509_vfy.h -> reasons that a librarian can act on.
CERTIFICATE_REASONS = {
    2: "incomplete_chain",  # issuer certificate not found
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "unknown_authority",  # self-signed certificate in the chain
    20: "incomplete_chain",  # local issuer not found: an intermediate is missing, or the authority is not public
    21: "incomplete_chain",  # the first certificate cannot be verified
    62: "host_name",
    64: "host_name",  # IP address mismatch
}
HEADER_LIMIT_PHRASES = ("got more than", "header line", "Header section")  # in messages of http.client


def transport_error(url: str, error: Exception, *, late: bool) -> TransportError:
    """Return the TransportError for an exception of a request.

    late: the deadline had passed, and the exception is only a consequence of it.
    """
    if isinstance(error, TransportError):
        error.facts.setdefault("url", url)
        return error
    if late:
        return timeout_error(url, "deadline")
    if isinstance(error, ReadTimeout | ReadTimeoutError | TimeoutError):
        return timeout_error(url, "read")
    if isinstance(error, InvalidURL | InvalidSchema | MissingSchema):
        return bad_url_error(url, "malformed")
    return (
        _tls_error(url, error)
        if isinstance(error, SSLError | ssl.SSLError)
        else _connection_error(url, str(error)[:300])
    )


def timeout_error(url: str, reason: str) -> TransportError:
    """The error of a late answer. reason: "deadline" (the whole took too long) or "read" (the server fell silent)."""
    return TransportError(f"{url} did not answer in time", "net.timeout", permanent=False, url=url, reason=reason)


def _connection_error(url: str, detail: str) -> TransportError:
    """The connection ended before the response was complete, or we ended it because of too many headers."""
    too_many = any(words in detail for words in HEADER_LIMIT_PHRASES)
    code = "net.headers" if too_many else "net.truncated"
    return TransportError(f"{url}: {detail}", code, permanent=too_many, url=url, reason=detail)


def _tls_error(url: str, error: Exception) -> TransportError:
    """Permanent for a refused certificate; not permanent for a broken handshake, which may succeed later."""
    verification_error = next(
        (cause for cause in _causes(error) if isinstance(cause, ssl.SSLCertVerificationError)), None
    )
    reason = (
        CERTIFICATE_REASONS.get(verification_error.verify_code, "certificate") if verification_error else "handshake"
    )
    detail = verification_error.verify_message if verification_error else str(error)[:300]
    return TransportError(
        f"No secure connection to {url}: {detail}",
        "net.tls",
        permanent=verification_error is not None,
        url=url,
        reason=reason,
        detail=detail,
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and all errors that it wraps: requests wraps urllib3, which wraps ssl."""
    pending: list[object] = [error]
    seen: set[int] = set()
    while pending:
        candidate = pending.pop()
        if isinstance(candidate, BaseException) and id(candidate) not in seen:
            seen.add(id(candidate))
            yield candidate
            pending += [candidate.__cause__, candidate.__context__, getattr(candidate, "reason", None), *candidate.args]
