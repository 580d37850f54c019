"""resumptionToken: contains the whole state of a list, signed. Nothing is stored on the server, so tokens never expire.

A token can be sent repeatedly and always continues at the same place. Its content is readable, but harvesters must
treat it as opaque.
"""

import base64
import hmac
from dataclasses import dataclass
from hashlib import blake2b

from django.conf import settings

UNKNOWN = -1  # as size
_NONE = "-"
_MAX_LENGTH = 500  # characters; valid tokens have about a fifth of it


@dataclass(frozen=True, slots=True)
class State:
    """The request of a list, and how far it has been answered. from_, until: seconds since 1970.

    size: of the whole list; 0 on the first page, before it is counted; UNKNOWN if it is not known. cursor: the number
    of records already sent. place: of the last of them, see `provision.listing`.
    """

    verb: str
    prefix: str
    set_spec: str
    from_: int
    until: int
    size: int
    cursor: int
    place: tuple[int, int]


def encode(state: State) -> str:
    """Return the state as a token."""
    numbers = (state.from_, state.until, state.size, state.cursor, *state.place)
    text = "~".join((state.verb, state.prefix, state.set_spec or _NONE, *map(str, numbers)))
    return f"{text}~{_signature(text)}"


def decode(token: str, verb: str) -> State | None:
    """Return the state of a token, or None if this site did not issue it for this verb."""
    text, _separator, signature = token.rpartition("~")
    if len(token) > _MAX_LENGTH or not token.isascii() or not hmac.compare_digest(signature, _signature(text)):
        return None
    token_verb, prefix, set_spec, *numbers = text.split("~")
    if token_verb != verb:
        return None
    from_, until, size, cursor, stamp, item = map(int, numbers)
    return State(verb, prefix, "" if set_spec == _NONE else set_spec, from_, until, size, cursor, (stamp, item))


def _signature(text: str) -> str:
    key = blake2b(settings.SECRET_KEY.encode(), person=b"resumptionToken", digest_size=32).digest()
    return base64.urlsafe_b64encode(blake2b(text.encode(), key=key, digest_size=9).digest()).decode()
