"""Named faults: what a provider in trouble answers instead. Pure: a reply in, a reply out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response before it is sent."""

    body: bytes
    status: int = 200
    content_type: str = "text/xml; charset=UTF-8"
    headers: tuple[tuple[str, str], ...] = field(default=())

    def moved(self, old: str, new: str) -> "Reply":
        """The same with every link to one address leading to another."""
        headers = tuple((name, value.replace(old, new)) for name, value in self.headers)
        return replace(self, body=self.body.replace(old.encode(), new.encode()), headers=headers)


# A scenario sees the arguments and the right reply, and says what is sent in its place.
Scenario = Callable[[Mapping[str, str], Reply], Reply]

MAINTENANCE = "<!DOCTYPE html><html lang=ja><title>メンテナンス中</title><p>只今メンテナンス中です。</p></html>"
RETRY_AFTER = 120


def html(arguments: Mapping[str, str], reply: Reply) -> Reply:
    """A page for people with status 200, whatever is asked."""
    return Reply(MAINTENANCE.encode(), content_type="text/html; charset=UTF-8")


def broken(arguments: Mapping[str, str], reply: Reply) -> Reply:
    """Every page of a list but the first has a start tag without its end."""
    if "resumptionToken" not in arguments:
        return reply
    return replace(reply, body=reply.body.replace(b"</header>", b"", 1))


def unavailable(arguments: Mapping[str, str], reply: Reply) -> Reply:
    """503 with Retry-After, whatever is asked."""
    return Reply(b"", status=503, content_type="text/plain", headers=(("Retry-After", str(RETRY_AFTER)),))


SCENARIOS: dict[str, Scenario] = {"html": html, "broken": broken, "unavailable": unavailable}
