"""What a transport says of itself: what it can, and the texts about it. All other code asks this. No Django.

Texts are msgids, which are translated where they are shown.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from harvesting.http.fetch import Fetcher
from harvesting.texts import Message
from harvesting.transports.retries import RetryPolicy
from harvesting.types import EMPTY_MAPPING, Identity, Observation, Source, Transport


def _nothing_odd(identity: Identity, base_url: str, now: datetime) -> tuple[Observation, ...]:
    return ()


def _never(root: bytes, start: bytes) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """How the protocol of an address is recognised.

    recognises: whether the beginning of a body shows the protocol. root: the local name of its root element, b"" if it
    is not XML. start: the first bytes.
    greeting: arguments of a request that only this protocol answers; it is sent first.
    well_known: the path where such a provider describes itself; it is requested if nothing else was recognised.
    any_status: the protocol is also recognised in a response with an error status.
    """

    recognises: Callable[[bytes, bytes], bool] = _never
    greeting: Mapping[str, str] = EMPTY_MAPPING
    well_known: str = ""
    any_status: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportKind:
    """One transport, as its folder describes it in `TRANSPORT`.

    name: as stored with each feed and written on the command line. label: its name for people.
    make: builds the transport of one feed. address: what to enter as its address. place: the same as part of a
    sentence, "the address of …"; "" for files. guide: for providers, whom it suits; below the heading `guide_heading`,
    "" = the label.

    What requests can ask for:
    needs_prefix: every request names a format. default_prefix: the format of a feed that names none, "" = the records
    show it. guaranteed_prefix: the format that every provider offers.
    has_periods: a harvest can be limited to a period or one record. fetches_single: one record is fetched without
    reading the list. has_day_dates: dates are days unless the provider declares seconds.
    names_requests: requests have names that mean something to the provider. version: the only one supported.

    What responses say:
    has_identify: the provider describes itself; `check_identity` finds what is odd in that. has_clock: responses
    contain the time of the provider's clock; otherwise their dates say when a file was made.
    resumes_at_once: an interrupted list continues with one request; otherwise its beginning is read again.

    How absent records are noticed:
    needs_full_runs: full runs are scheduled, unless the provider reports all deletions. full_list_apart: only a second
    address, if there is one, lists all records. falls_back: a run over the changes may turn into a full one.
    reads_files: the address may be a file on this server, which was uploaded or which the operator named.
    is_pushed: there is no address: the provider sends its records of its own accord, and each push becomes a run.
    is_live: nothing is harvested: the provider is asked while a reader searches. is_link: and it is not even asked:
    readers get a link. live_options: the options that a person can set, fields of `harvesting.live.options.Options`.

    messages, words: the texts of its errors and observations, and its codes in words, as reasons in other messages.
    expired_codes: errors that mean that the list must be read from its start. unknown_record_codes: errors that mean
    that there is no such record. issue_families, issue_codes: issues that it finds before a record is read.
    """

    name: str
    label: str
    make: Callable[[Source, Fetcher, RetryPolicy], Transport]
    address: str = ""
    place: str = ""
    guide: str = ""
    guide_heading: str = ""
    detection: Detection = Detection()

    needs_prefix: bool = False
    default_prefix: str = ""
    guaranteed_prefix: str = ""
    has_periods: bool = False
    fetches_single: bool = False
    has_day_dates: bool = False
    names_requests: bool = False
    version: str = ""

    has_identify: bool = False
    check_identity: Callable[[Identity, str, datetime], tuple[Observation, ...]] = _nothing_odd
    has_clock: bool = False
    resumes_at_once: bool = False

    needs_full_runs: bool = False
    full_list_apart: bool = False
    falls_back: bool = False
    reads_files: bool = False
    is_pushed: bool = False
    is_live: bool = False
    is_link: bool = False
    live_options: tuple[str, ...] = ()

    messages: dict[str, Message] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    expired_codes: frozenset[str] = frozenset()
    unknown_record_codes: frozenset[str] = frozenset()
    issue_families: frozenset[str] = frozenset()
    issue_codes: frozenset[str] = frozenset()

    @property
    def needs_address(self) -> bool:
        """Whether the records are fetched from a web address, which must be known."""
        return not (self.reads_files or self.is_pushed)
