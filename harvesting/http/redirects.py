"""Where a redirect leads, and with which arguments. Decides; asks nothing itself.

Guidelines for harvesters, section 5: redirects are followed, but the registered URL is asked again next time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from harvesting.types import Observation, TransportError

REDIRECTS = frozenset({301, 302, 303, 307, 308})
FOR_EVER = frozenset({301, 308})
REPEATED = frozenset({307, 308})  # RFC 9110, 15.4.8 and 15.4.9: method and body stay
MAX_REDIRECTS = 5
NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Step:
    """One request. form: the body of a POST."""

    method: str
    url: str
    form: Mapping[str, str] = NO_PARAMETERS


class Path:
    """From the URL that was asked for to the one that answers.

    asked: the URL with its arguments. step: what to ask now. notices: what was odd on the way.
    """

    def __init__(self, url: str, parameters: Mapping[str, str], method: str) -> None:
        self._parameters = parameters
        self._base = add_query(url, NO_PARAMETERS)
        post = method == "POST"
        self.step = Step(method, self._base, parameters) if post else Step(method, add_query(url, parameters))
        self.asked = self.step.url
        self.observations: list[Observation] = []
        self._visited: list[str] = []

    def follow(self, status: int, location: str) -> None:
        """Go where the answer to `step` sends us. TransportError "net.redirects" where that is not possible."""
        source = self.step
        target = redirect_target(source.url, location)
        if status in FOR_EVER:
            self._note("http.moved", target)
        if source.method == "POST" and status in REPEATED:
            self.step = Step("POST", target, source.form)
        else:
            self.step = Step("GET", self._with_arguments(source, target))
        self._visited.append(source.url)
        if len(self._visited) > MAX_REDIRECTS:
            raise redirect_error(self.asked, target, "loop" if self.step.url in self._visited else "too_many")

    def _with_arguments(self, source: Step, target: str) -> str:
        """The target; where it lost our arguments, with them: a request without any would be another question."""
        complete = restored(target, source, self._parameters)
        if source.method == "POST":
            self._note("http.post_redirected", target)
        elif complete != target:
            self._note("http.lost_query", target)
        return complete

    def _note(self, code: str, target: str) -> None:
        location = without_arguments(target, self._parameters)
        self.observations.append(Observation(code=code, facts={"url": self._base[:500], "location": location[:500]}))


def add_query(url: str, parameters: Mapping[str, str]) -> str:
    """The URL with the parameters after those that its own query has; each value is encoded once."""
    base, _, _ = url.strip().partition("#")
    if not parameters:
        return base
    joint = "?" if "?" not in base else "" if base[-1] in "?&" else "&"
    return base + joint + urlencode(parameters)


def redirect_target(url: str, location: str) -> str:
    """The absolute address that a Location header of this URL's response means, without its fragment.

    TransportError "net.redirects" if it is none, or would go on in the clear what began encrypted.
    """
    location = location.strip()
    if not location:
        # Guidelines for harvesters, section 5: a 302 without Location is not tried again.
        raise redirect_error(url, "", "no_location")
    # Headers arrive as Latin-1; a Location in UTF-8 is common all the same.
    location = location.encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        target = add_query(urljoin(url, location), NO_PARAMETERS)
        downgraded = urlsplit(url).scheme == "https" and urlsplit(target).scheme == "http"
    except ValueError as error:
        raise redirect_error(url, location, "malformed") from error
    if downgraded:
        raise redirect_error(url, target, "downgrade")
    return target


def restored(target: str, source: Step, parameters: Mapping[str, str]) -> str:
    """The target with the arguments of the request that it does not carry any more; all of its query if it has none.

    Seen with servers that redirect to https or to a new path without the query (bloomonkey/oai-harvest#19, #41).
    """
    query = urlsplit(target).query
    if parameters and not query and (own := urlsplit(source.url).query):
        target = f"{target.rstrip('?')}?{own}"
        query = own
    present = {name for name, _value in parse_qsl(query, keep_blank_values=True)}
    return add_query(target, {name: value for name, value in parameters.items() if name not in present})


def without_arguments(url: str, parameters: Mapping[str, str]) -> str:
    """The URL as one would register it: without the arguments of this one request."""
    base, _, query = url.partition("?")
    kept = [
        pair for pair in query.split("&") if pair and not any(name in parameters for name, _value in parse_qsl(pair))
    ]
    return f"{base}?{'&'.join(kept)}" if kept else base


def redirect_error(url: str, target: str, reason: str) -> TransportError:
    """reason: "loop", "too_many", "no_location", "malformed" or "downgrade"."""
    return TransportError(
        f"{url} redirects to {target or 'nowhere'} ({reason})",
        "net.redirects",
        permanent=True,
        url=url,
        location=target[:500],
        reason=reason,
    )
