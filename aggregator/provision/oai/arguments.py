"""Whether a request is one that OAI-PMH knows, with every fault that is found. Pure: no records, no HTTP."""

import re
from calendar import timegm
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

_LIST = frozenset({"from", "until", "set", "metadataPrefix", "resumptionToken"})
# verb -> required, allowed (section 4)
VERBS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset({"identifier"})),
    "ListSets": (frozenset(), frozenset({"resumptionToken"})),
    "ListIdentifiers": (frozenset({"metadataPrefix"}), _LIST),
    "ListRecords": (frozenset({"metadataPrefix"}), _LIST),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset({"identifier", "metadataPrefix"})),
}
# The types metadataPrefixType and setSpecType of OAI-PMH.xsd; of an identifier, what a URI may hold.
_WORD = r"[A-Za-z0-9\-_.!~*'()]+"
_SYNTAX = {
    "metadataPrefix": re.compile(_WORD),
    "set": re.compile(f"{_WORD}(?::{_WORD})*"),
    "identifier": re.compile(r"[!-~]+"),
}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_LAST_SECOND = 86_399  # of a day
SHOWN = 200  # characters of what was sent wrongly


@dataclass(frozen=True, slots=True)
class OaiError:
    """One <error>: its code (section 3.6), and what is wrong in words."""

    code: str
    message: str


class Refused(Exception):
    """The request has faults."""

    def __init__(self, *faults: OaiError) -> None:
        super().__init__("; ".join(f"{each.code}: {each.message}" for each in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Asked:
    """A request without faults. arguments: as sent, the verb among them. from_, until: seconds since 1970, if given."""

    arguments: Mapping[str, str]
    from_: int | None = None
    until: int | None = None

    def __getitem__(self, name: str) -> str:
        """An argument, "" where it was not given."""
        return self.arguments.get(name, "")


def checked(sent: Sequence[tuple[str, str]]) -> Asked:
    """The request. Raises Refused with badVerb, or with every badArgument there is."""
    verbs = [value for name, value in sent if name == "verb"]
    if len(verbs) != 1 or verbs[0] not in VERBS:
        what = "is missing" if not verbs else "is repeated" if len(verbs) > 1 else f"{_shown(verbs[0])} is unknown"
        raise Refused(OaiError("badVerb", f"The verb {what}. It must be one of: {', '.join(VERBS)}."))
    faults = [OaiError("badArgument", message) for message in _faults(verbs[0], sent)]
    arguments = dict(sent)
    if faults:
        raise Refused(*faults)
    from_, until = arguments.get("from"), arguments.get("until")
    return Asked(
        arguments=arguments,
        from_=_seconds(from_) if from_ is not None else None,
        until=_seconds(until, end=True) if until is not None else None,
    )


def _faults(verb: str, sent: Sequence[tuple[str, str]]) -> Iterator[str]:
    required, allowed = VERBS[verb]
    counts = Counter(name for name, _value in sent if name != "verb")
    for name, count in counts.items():
        if name not in allowed:
            yield f"{_shown(name)} is no argument of {verb}. Allowed: {', '.join(sorted(allowed)) or 'none'}."
        elif count > 1:
            yield f"{name} is repeated."
    arguments = {name: value for name, value in sent if name in allowed}
    if "resumptionToken" in arguments:
        if len(counts) > 1:
            yield "resumptionToken is exclusive: no other argument may stand beside it."
        return
    yield from (f"{name} is required." for name in sorted(required - arguments.keys()))
    for name, pattern in _SYNTAX.items():
        if name in arguments and not pattern.fullmatch(arguments[name]):
            yield f"{name} is not well formed: {_shown(arguments[name])}"
    yield from _date_faults({name: arguments[name] for name in ("from", "until") if name in arguments})


def _date_faults(dates: Mapping[str, str]) -> Iterator[str]:
    wrong = [name for name, value in dates.items() if not _is_date(value)]
    for name in wrong:
        yield (
            f"{name} is no date in UTC of the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ "
            f"(a plus sign or a colon may need encoding): {_shown(dates[name])}"
        )
    if wrong or len(dates) < len(("from", "until")):
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
    except ValueError:  # the 30th of February
        return False
    return True


def _seconds(value: str, *, end: bool = False) -> int:
    """Since 1970. end: of a day its last second."""
    return timegm(datetime.fromisoformat(value).timetuple()) + (_LAST_SECOND if end and _DAY.fullmatch(value) else 0)


def _shown(value: str) -> str:
    return repr(value[:SHOWN])
