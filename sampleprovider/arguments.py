"""Checks the arguments of OAI-PMH requests: which are allowed, and their syntax. Pure; independent of the records."""

import base64
import binascii
import re
from collections.abc import Sequence
from datetime import datetime

import msgspec

from sampleprovider.source import DAY

LIST_ARGUMENTS = frozenset({"from", "until", "set", "metadataPrefix", "resumptionToken"})

# verb -> (required, all allowed); OAI-PMH 2.0, section 4
VERBS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset({"identifier"})),
    "ListSets": (frozenset(), frozenset({"resumptionToken"})),
    "ListIdentifiers": (frozenset({"metadataPrefix"}), LIST_ARGUMENTS),
    "ListRecords": (frozenset({"metadataPrefix"}), LIST_ARGUMENTS),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset({"identifier", "metadataPrefix"})),
}

# The types metadataPrefixType and setSpecType of OAI-PMH.xsd
_WORD = r"[A-Za-z0-9\-_.!~*'()]+"
SYNTAX = {
    "metadataPrefix": re.compile(_WORD),
    "set": re.compile(f"{_WORD}(:{_WORD})*"),
    "identifier": re.compile(r"\S+"),
}
DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", re.ASCII)


class ProtocolError(Exception):
    """An error with a code of the protocol (OAI-PMH 2.0, section 3.6)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Selection(msgspec.Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True):
    """A requested list and the position in it: the whole state of a resumptionToken."""

    verb: str
    prefix: str
    from_: str = ""
    until: str = ""
    set_spec: str = ""
    after: tuple[str, str] = ("", "")
    cursor: int = 0


def parse_arguments(params: Sequence[tuple[str, str]], granularity: str) -> dict[str, str]:
    """Return the arguments by name, including "verb". Raises ProtocolError: badVerb or badArgument."""
    verbs = [value for name, value in params if name == "verb"]
    if len(verbs) != 1 or verbs[0] not in VERBS:
        raise ProtocolError("badVerb", f"verb must be given once, as one of {', '.join(VERBS)}")
    arguments = dict(params)
    if len(arguments) != len(params):
        raise ProtocolError("badArgument", "an argument is repeated")
    _check_names(arguments)
    for name, pattern in SYNTAX.items():
        if name in arguments and not pattern.fullmatch(arguments[name]):
            raise ProtocolError("badArgument", f"{name} is not well formed: {arguments[name]!r}")
    _check_dates(arguments, granularity)
    return arguments


def _check_names(arguments: dict[str, str]) -> None:
    required, allowed = VERBS[arguments["verb"]]
    given = arguments.keys() - {"verb"}
    if given - allowed:
        raise ProtocolError("badArgument", f"not allowed here: {', '.join(sorted(given - allowed))}")
    if "resumptionToken" in given:
        if len(given) > 1:
            raise ProtocolError("badArgument", "resumptionToken is exclusive: no other argument beside it")
    elif required - given:
        raise ProtocolError("badArgument", f"required: {', '.join(sorted(required - given))}")


def _check_dates(arguments: dict[str, str], granularity: str) -> None:
    dates = {name: arguments[name] for name in ("from", "until") if name in arguments}
    for name, value in dates.items():
        if not _is_date(value):
            raise ProtocolError("badArgument", f"{name} is not a UTC date of the form {granularity}: {value!r}")
        if granularity == DAY and len(value) != len(DAY):
            raise ProtocolError("badArgument", f"{name} is finer than the granularity of this repository, {DAY}")
    if len({len(value) for value in dates.values()}) > 1:
        raise ProtocolError("badArgument", "from and until must have the same granularity")
    if len(dates) == len(("from", "until")) and dates["from"] > dates["until"]:
        raise ProtocolError("badArgument", "from is later than until")


def _is_date(value: str) -> bool:
    try:
        return bool(DATE.fullmatch(value) and datetime.fromisoformat(value))
    except ValueError:
        return False


def write_token(selection: Selection) -> str:
    """Encode the selection as a resumptionToken. The server keeps no state, so tokens never expire."""
    return base64.urlsafe_b64encode(msgspec.json.encode(selection)).decode("ascii").rstrip("=")


def read_token(token: str, verb: str) -> Selection:
    """Decode a resumptionToken. Raises ProtocolError for one that this provider did not issue for this verb."""
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        selection = msgspec.json.decode(data, type=Selection)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise ProtocolError("badResumptionToken", "this resumptionToken was not issued here") from error
    if selection.verb != verb or selection.cursor < 0:
        raise ProtocolError("badResumptionToken", f"this resumptionToken was not issued for {verb}")
    return selection
