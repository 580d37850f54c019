"""Host names to addresses, within a time limit. Decides nothing about them: see `addresses`.

getaddrinfo has no deadline of its own, and a resolver that hangs would hang the worker with it.
"""

import socket
import threading
from typing import Any

from harvesting.types import TransportError

MOST_WAITING = 16  # questions that may hang at once; each is a thread until the resolver gives up
_places = threading.BoundedSemaphore(MOST_WAITING)

type Target = tuple[str, int] | tuple[str, int, int, int]
type Answer = tuple[int, int, int, Target]


def resolve(host: str, port: int, timeout: float) -> list[Answer]:
    """(family, kind, protocol, target) of every address. TransportError "net.dns"; not permanent if it may pass."""
    question = _Question(host, port)
    if not _places.acquire(timeout=timeout):
        raise _unknown(host, "timeout", "too many questions wait", permanent=False)
    threading.Thread(target=question.ask, daemon=True, name="resolver").start()
    if not question.answered.wait(timeout):
        raise _unknown(host, "timeout", "no answer in time", permanent=False)
    error = question.error
    if error is not None:
        # EAI_AGAIN is a name server that does not answer just now; a name that does not exist needs a person.
        passing = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        raise _unknown(host, "silent" if passing else "unknown", str(error), permanent=not passing) from error
    return [(family, kind, protocol, target) for family, kind, protocol, _name, target in question.answers]


class _Question:
    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.answered = threading.Event()
        self.answers: list[Any] = []
        self.error: OSError | ValueError | None = None

    def ask(self) -> None:
        try:
            self.answers = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:  # UnicodeError of the IDNA codec is a ValueError
            self.error = error
        finally:
            _places.release()
            self.answered.set()


def _unknown(host: str, reason: str, detail: str, *, permanent: bool) -> TransportError:
    return TransportError(
        f"The host name {host} is not found: {detail}",
        "net.dns",
        permanent=permanent,
        host=host,
        reason=reason,
        detail=detail,
    )
