"""Records that providers send of their own accord: pushed through the interface, or put into their folder."""

from harvesting.http.fetch import Fetcher
from harvesting.texts import _
from harvesting.transports.kind import TransportKind
from harvesting.transports.push.messages import MESSAGES
from harvesting.transports.push.transport import PushTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Source, Transport


def _make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return PushTransport(source)


TRANSPORT = TransportKind(
    name="push",
    label=_("push"),
    make=_make,
    address=_("Push: leave it empty."),
    guide_heading=_("Pushing records"),
    guide=_(
        "The library sends its records itself: a program uploads files or single records with a token, or puts files "
        "into a folder of its own (SFTP). Suitable for libraries whose system cannot be harvested."
    ),
    is_pushed=True,
    messages=MESSAGES,
    issue_families=frozenset(),
)
