"""resumptionToken: the whole state of a list, signed, in the hands of the harvester. Keeps nothing, so none expires.

A token can be sent again at any time and continues at the same place. What stands in it is readable, but for the
program that sent it opaque.
"""

import base64
import hmac
from dataclasses import dataclass
from hashlib import blake2b

from django.conf import settings

_NONE = "-"
_LONGEST = 500  # characters; ours have a fifth


@dataclass(frozen=True, slots=True)
class State:
    """What is asked for and how far it has been given. from_, until: seconds; place: see `provision.listing`."""

    verb: str
    prefix: str
    set_spec: str
    from_: int
    until: int
    size: int
    cursor: int
    place: tuple[int, int]


def written(state: State) -> str:
    """The state as a token."""
    numbers = (state.from_, state.until, state.size, state.cursor, *state.place)
    text = "~".join((state.verb, state.prefix, state.set_spec or _NONE, *map(str, numbers)))
    return f"{text}~{_signature(text)}"


def read(token: str, verb: str) -> State | None:
    """The inverse; None for what we have not written for this verb."""
    text, _mark, signature = token.rpartition("~")
    if len(token) > _LONGEST or not token.isascii() or not hmac.compare_digest(signature, _signature(text)):
        return None
    written_for, prefix, set_spec, *numbers = text.split("~")
    if written_for != verb:
        return None
    from_, until, size, cursor, stamp, item = map(int, numbers)
    return State(verb, prefix, "" if set_spec == _NONE else set_spec, from_, until, size, cursor, (stamp, item))


def _signature(text: str) -> str:
    key = blake2b(settings.SECRET_KEY.encode(), person=b"resumptionToken", digest_size=32).digest()
    return base64.urlsafe_b64encode(blake2b(text.encode(), key=key, digest_size=9).digest()).decode()
