"""Decides where a redirect leads and with which arguments. Makes no requests.

OAI-PMH Guidelines for Harvester Implementers, section 5: redirects are followed, but the next harvest starts from the
registered URL again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from harvesting.types import Observation, TransportError

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT_REDIRECTS = frozenset({301, 308})
METHOD_PRESERVING = frozenset({307, 308})  # RFC 9110, 15.4.8 and 15.4.9: method and body stay
MAX_REDIRECTS = 5
NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a chain of redirects. form: the body of a POST."""

    method: str
    url: str
    form: Mapping[str, str] = NO_PARAMETERS


class RedirectChain:
    """The way from the requested URL to the one that answers.

    requested_url: with its arguments. step: the request to make now. observations: oddities of the redirects.
    """

    def __init__(self, url: str, parameters: Mapping[str, str], method: str) -> None:
        self._parameters = parameters
        self._base = add_query(url, NO_PARAMETERS)
        post = method == "POST"
        self.step = Step(method, self._base, parameters) if post else Step(method, add_query(url, parameters))
        self.requested_url = self.step.url
        self.observations: list[Observation] = []
        self._visited: list[str] = []

    def follow(self, status: int, location: str) -> None:
        """Set `step` to the target of a redirect. TransportError "net.redirects" if it cannot be followed."""
        source = self.step
        target = redirect_target(source.url, location)
        if status in PERMANENT_REDIRECTS:
            self._note("http.moved", target)
        if source.method == "POST" and status in METHOD_PRESERVING:
            self.step = Step("POST", target, source.form)
        else:
            method = "HEAD" if source.method == "HEAD" else "GET"
            self.step = Step(method, self._with_arguments(source, target))
        self._visited.append(source.url)
        if len(self._visited) > MAX_REDIRECTS:
            raise redirect_error(self.requested_url, target, "loop" if self.step.url in self._visited else "too_many")

    def _with_arguments(self, source: Step, target: str) -> str:
        """Return the target, with the arguments of the request restored where the redirect dropped them."""
        complete = restore_arguments(target, source, self._parameters)
        if source.method == "POST":
            self._note("http.post_redirected", target)
        elif complete != target:
            self._note("http.lost_query", target)
        return complete

    def _note(self, code: str, target: str) -> None:
        location = without_arguments(target, self._parameters)
        self.observations.append(Observation(code=code, facts={"url": self._base[:500], "location": location[:500]}))


def add_query(url: str, parameters: Mapping[str, str]) -> str:
    """Return the URL with the parameters appended to its query; values are encoded once."""
    base, _, _ = url.strip().partition("#")
    if not parameters:
        return base
    joint = "?" if "?" not in base else "" if base[-1] in "?&" else "&"
    return base + joint + urlencode(parameters)


def redirect_target(url: str, location: str) -> str:
    """Return the absolute URL that a Location header in the response to `url` refers to, without its fragment.

    TransportError "net.redirects" if it is missing or malformed, or if it leads from https to http.
    """
    location = location.strip()
    if not location:
        # OAI-PMH Guidelines for Harvester Implementers, section 5: a 302 without Location is not retried.
        raise redirect_error(url, "", "no_location")
    # http.client decodes headers as Latin-1, but servers often send a Location in UTF-8.
    location = location.encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        target = add_query(urljoin(url, location), NO_PARAMETERS)
        downgraded = urlsplit(url).scheme == "https" and urlsplit(target).scheme == "http"
    except ValueError as error:
        raise redirect_error(url, location, "malformed") from error
    if downgraded:
        raise redirect_error(url, target, "downgrade")
    return target


def restore_arguments(target: str, source: Step, parameters: Mapping[str, str]) -> str:
    """Return the target with the request's arguments that it lacks; if it has no query, with the request's whole query.

    Some servers redirect to https or to a new path without the query (bloomonkey/oai-harvest#19, #41).
    """
    query = urlsplit(target).query
    if parameters and not query and (source_query := urlsplit(source.url).query):
        target = f"{target.rstrip('?')}?{source_query}"
        query = source_query
    present = {name for name, _value in parse_qsl(query, keep_blank_values=True)}
    return add_query(target, {name: value for name, value in parameters.items() if name not in present})


def without_arguments(url: str, parameters: Mapping[str, str]) -> str:
    """Return the URL as it would be registered: without the arguments of this request."""
    base, _, query = url.partition("?")
    remaining = [
        pair for pair in query.split("&") if pair and not any(name in parameters for name, _value in parse_qsl(pair))
    ]
    return f"{base}?{'&'.join(remaining)}" if remaining else base


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
