"""Resolves host names within a time limit. Which addresses may be used is decided in `addresses`.

getaddrinfo has no timeout of its own, so a resolver that hangs would block the worker; here it blocks a thread.
"""

import socket
import threading
from typing import Any

from harvesting.types import TransportError

MAX_PENDING = 16  # lookups at the same time; each occupies a thread until the resolver gives up
_slots = threading.BoundedSemaphore(MAX_PENDING)

type SocketAddress = tuple[str, int] | tuple[str, int, int, int]
type ResolvedAddress = tuple[int, int, int, SocketAddress]


def resolve(host: str, port: int, timeout: float) -> list[ResolvedAddress]:
    """Return (family, socket type, protocol, socket address) of every address of the host.

    TransportError "net.dns" otherwise, not permanent if the failure may be temporary.
    """
    lookup = _Lookup(host, port)
    if not _slots.acquire(timeout=timeout):
        raise _dns_error(host, "timeout", "too many lookups are waiting", permanent=False)
    threading.Thread(target=lookup.run, daemon=True, name="resolver").start()
    if not lookup.finished.wait(timeout):
        raise _dns_error(host, "timeout", "no answer in time", permanent=False)
    error = lookup.error
    if error is not None:
        # EAI_AGAIN: a name server does not answer at the moment. A name that does not exist needs a person.
        temporary = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        raise _dns_error(host, "silent" if temporary else "unknown", str(error), permanent=not temporary) from error
    return [(family, kind, protocol, target) for family, kind, protocol, _name, target in lookup.addresses]


class _Lookup:
    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.finished = threading.Event()
        self.addresses: list[Any] = []
        self.error: OSError | ValueError | None = None

    def run(self) -> None:
        try:
            self.addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:  # UnicodeError of the IDNA codec is a ValueError
            self.error = error
        finally:
            _slots.release()
            self.finished.set()


def _dns_error(host: str, reason: str, detail: str, *, permanent: bool) -> TransportError:
    return TransportError(
        f"The host name {host} is not found: {detail}",
        "net.dns",
        permanent=permanent,
        host=host,
        reason=reason,
        detail=detail,
    )
