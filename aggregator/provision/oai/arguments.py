"""Parses the arguments of an OAI-PMH request and reports all errors in them. No database access, no HTTP."""

import re
from calendar import timegm
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

_LIST = frozenset({"from", "until", "set", "metadataPrefix", "resumptionToken"})
# verb -> required arguments, allowed arguments (section 4)
VERBS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset({"identifier"})),
    "ListSets": (frozenset(), frozenset({"resumptionToken"})),
    "ListIdentifiers": (frozenset({"metadataPrefix"}), _LIST),
    "ListRecords": (frozenset({"metadataPrefix"}), _LIST),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset({"identifier", "metadataPrefix"})),
}
# The types metadataPrefixType and setSpecType of OAI-PMH.xsd; for identifiers the characters that a URI may contain.
_WORD = r"[A-Za-z0-9\-_.!~*'()]+"
_SYNTAX = {
    "metadataPrefix": re.compile(_WORD),
    "set": re.compile(f"{_WORD}(?::{_WORD})*"),
    "identifier": re.compile(r"[!-~]+"),
}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_LAST_SECOND = 86_399  # of a day
MAX_QUOTED = 200  # characters of a wrong value that an error message repeats


@dataclass(frozen=True, slots=True)
class OaiError:
    """One <error>: its code (section 3.6) and message."""

    code: str
    message: str


class RequestRefused(Exception):
    """The request has errors."""

    def __init__(self, *errors: OaiError) -> None:
        super().__init__("; ".join(f"{error.code}: {error.message}" for error in errors))
        self.errors = errors


def ignore(_set_spec: str, _first: int, _last: int) -> None:
    """Nothing is to be done at the end of a list."""


@dataclass(frozen=True, slots=True)
class OaiRequest:
    """A valid request. arguments: as sent, including the verb. from_, until: seconds since 1970, if present.

    on_end: called with its set, first and last second when a list of records has been answered to its end.
    """

    arguments: Mapping[str, str]
    from_: int | None = None
    until: int | None = None
    on_end: Callable[[str, int, int], None] = ignore

    def __getitem__(self, name: str) -> str:
        """Return an argument, or "" if it is absent."""
        return self.arguments.get(name, "")


def parse_request(sent: Sequence[tuple[str, str]]) -> OaiRequest:
    """Return the request. Raises RequestRefused with badVerb, or with all badArgument errors."""
    verbs = [value for name, value in sent if name == "verb"]
    if len(verbs) != 1 or verbs[0] not in VERBS:
        problem = "is missing" if not verbs else "is repeated" if len(verbs) > 1 else f"{_quoted(verbs[0])} is unknown"
        raise RequestRefused(OaiError("badVerb", f"The verb {problem}. It must be one of: {', '.join(VERBS)}."))
    errors = [OaiError("badArgument", message) for message in _argument_errors(verbs[0], sent)]
    arguments = dict(sent)
    if errors:
        raise RequestRefused(*errors)
    from_, until = arguments.get("from"), arguments.get("until")
    return OaiRequest(
        arguments=arguments,
        from_=_seconds(from_) if from_ is not None else None,
        until=_seconds(until, end=True) if until is not None else None,
    )


def _argument_errors(verb: str, sent: Sequence[tuple[str, str]]) -> Iterator[str]:
    required, allowed = VERBS[verb]
    counts = Counter(name for name, _value in sent if name != "verb")
    for name, count in counts.items():
        if name not in allowed:
            yield f"{_quoted(name)} is not an argument of {verb}. Allowed: {', '.join(sorted(allowed)) or 'none'}."
        elif count > 1:
            yield f"{name} is repeated."
    arguments = {name: value for name, value in sent if name in allowed}
    if "resumptionToken" in arguments:
        if len(counts) > 1:
            yield "resumptionToken is exclusive: it must not be sent together with other arguments."
        return
    yield from (f"{name} is required." for name in sorted(required - arguments.keys()))
    for name, pattern in _SYNTAX.items():
        if name in arguments and not pattern.fullmatch(arguments[name]):
            yield f"{name} is not well formed: {_quoted(arguments[name])}"
    yield from _date_errors({name: arguments[name] for name in ("from", "until") if name in arguments})


def _date_errors(dates: Mapping[str, str]) -> Iterator[str]:
    malformed = [name for name, value in dates.items() if not _is_date(value)]
    for name in malformed:
        yield (
            f"{name} is no date in UTC of the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ "
            f"(a plus sign or a colon may need encoding): {_quoted(dates[name])}"
        )
    if malformed or len(dates) < len(("from", "until")):
        return
    if len(dates["from"]) != len(dates["until"]):
        yield "from and until differ in granularity."
    elif dates["from"] > dates["until"]:
        yield "from is later than until."


def _is_date(value: str) -> bool:
    if not (_DAY.fullmatch(value) or _SECOND.fullmatch(value)):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:  # such as 30 February
        return False
    return True


def _seconds(value: str, *, end: bool = False) -> int:
    """Return seconds since 1970. end: for a day, its last second."""
    return timegm(datetime.fromisoformat(value).timetuple()) + (_LAST_SECOND if end and _DAY.fullmatch(value) else 0)


def _quoted(value: str) -> str:
    return repr(value[:MAX_QUOTED])
