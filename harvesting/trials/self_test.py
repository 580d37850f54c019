"""Self-tests: anybody may have an address or pasted records checked, with the same results as a harvest would have.

Only the report is stored, for 30 days. Visitors cannot name a file on this machine: pasted or uploaded data is written
to a temporary file.
"""

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import django_rq
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from msgspec import structs
from redis.exceptions import RedisError
from rq import Worker

from core.temporary_files import named
from core.work.jobs import Job
from harvesting.http.archives import MIB
from harvesting.models import Feed, SelfTest
from harvesting.records.compression import pack_payload, unpack_payload
from harvesting.registry.policies import policy_by_profile, registered_policy, usual_profile
from harvesting.registry.registration import is_web_address
from harvesting.transports.registry import for_files
from harvesting.trials.probe import Probe, format_of, guess_protocol, probe_feed, reading_of
from harvesting.trials.report import Report, pack_report, report_of
from harvesting.types import HarvestedRecord, TransportError
from metadata.policy import Policy, Profile

KEPT_FOR = timedelta(days=30)
SAMPLE = 20  # records by default
MOST_SAMPLED = 50  # records
LARGEST = 2 * 1024 * 1024  # bytes pasted or uploaded
AT_ONCE = 256 * 1024  # bytes up to which pasted data is checked within the request
QUEUE = "quick"
JOB_SECONDS = 300
STUCK = timedelta(seconds=2 * JOB_SECONDS)  # a self-test that runs longer has lost its worker
HOUR = timedelta(hours=1)
PER_ASKER, PER_HOST, FOR_ALL = 30, 20, 300  # self-tests per hour of visitors
PER_LIBRARIAN, OF_LIBRARIANS = 60, 600  # self-tests per hour of people who are logged in; visitors use up none of them
PERSON = "person-"
ANONYMOUS_BYTES = 32 * MIB  # received in all for a self-test of a visitor
_BEGINS = re.compile(rb"<(?:\w+:)?metadata(?:\s[^<>]*)?>")
_ENDS = re.compile(rb"</(?:\w+:)?metadata\s*>")
_PART_OF_OAI = re.compile(rb"\s*(?:<\?xml[^>]*>)?\s*<(?:\w+:)?(?:record|header|metadata)[\s>]")
_MADE_UP = "file.W004"  # the identifier was generated, which is expected for a single pasted record


class TooMany(Exception):
    """Raised when a limit per hour is reached. seconds: until the next self-test is possible."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def submit_self_test(
    options: dict[str, Any], payload: bytes = b"", asker: str = "", credentials: bytes = b""
) -> SelfTest:
    """Store a self-test and have it run. Raises TooMany.

    options: as in `SelfTest.wishes`. payload: pasted or uploaded data; b"" to test an address. asker: a
    pseudonym of the visitor's network, "" for one without a limit of its own, or `asker_of` a person who is logged in.
    credentials: encrypted, for the address.
    """
    host = (urlsplit(options.get("base_url", "")).hostname or "")[:255]
    with transaction.atomic():
        _check_limits(asker, host)
        self_test = SelfTest.objects.create(
            wishes=options, payload=pack_payload(payload), asker=asker, host=host, credentials=credentials
        )
    start(self_test)
    return self_test


def asker_of(user_id: int) -> str:
    """The asker for a person who is logged in."""
    return f"{PERSON}{user_id}"


def start(self_test: SelfTest) -> None:
    """Run a self-test of little pasted data at once; leave others to a worker.

    If the queue cannot be reached, the self-test waits for the dispatcher.
    """
    if self_test.payload and len(unpack_payload(bytes(self_test.payload))) <= AT_ONCE:
        run(self_test)
        return
    try:
        enqueue(self_test)
    except RedisError:
        return


def enqueue(self_test: SelfTest) -> None:
    """Put a self-test into the queue of self-tests, not that of harvests, because a person waits for it.

    Raises RedisError.
    """
    JOB.enqueue(_job_name(self_test), self_test.pk)


def workers() -> int:
    """The number of workers for self-tests; 0 if the queue cannot be reached."""
    try:
        return Worker.count(queue=django_rq.get_queue(QUEUE))
    except RedisError:
        return 0


def waiting() -> list[SelfTest]:
    """The self-tests that wait for a worker. Those whose worker has died are marked as failed."""
    now = timezone.now()
    stuck = SelfTest.objects.filter(state=SelfTest.State.RUNNING, begun__lt=now - STUCK)
    if stuck.exists():  # called every few seconds; an UPDATE would have to wait for other writers
        stuck.update(state=SelfTest.State.FAILED, code="run.attempts", facts={"attempts": 1}, finished=now)
    return list(SelfTest.objects.filter(state=SelfTest.State.QUEUED).only("pk", "payload", "state")[:100])


def _job_name(self_test: SelfTest) -> str:
    return f"validation-{self_test.pk}"


JOB = Job(
    kind="validations",
    label=_("Check of a file or address"),
    function="harvesting.tasks.run_validation",
    waiting=lambda: [(_job_name(row), (row.pk,)) for row in waiting()],
    queue=QUEUE,
    timeout=JOB_SECONDS,
)


def run(self_test: SelfTest) -> str:
    """Run a waiting self-test; return its state. An exception of our own code is recorded and raised."""
    claimed = SelfTest.objects.filter(pk=self_test.pk, state=SelfTest.State.QUEUED)
    if not claimed.update(state=SelfTest.State.RUNNING, begun=timezone.now()):
        return self_test.state
    try:
        report = build_report(self_test)
    except TransportError as error:
        return _finish(self_test, SelfTest.State.FAILED, code=error.code, facts=dict(error.facts))
    except Exception as error:
        _finish(self_test, SelfTest.State.FAILED, code="run.internal", facts={"reason": type(error).__name__})
        raise
    return _finish(self_test, SelfTest.State.DONE, report=pack_report(report))


def prune(now: datetime) -> int:
    """Delete the self-tests older than KEPT_FOR; return their number."""
    expired = SelfTest.objects.filter(created__lt=now - KEPT_FOR)
    return expired.delete()[0]


def build_report(self_test: SelfTest) -> Report:
    """Return the report of a self-test. Raises TransportError if the address cannot be reached."""
    options = self_test.wishes
    if self_test.payload:
        return _read(unpack_payload(bytes(self_test.payload)), options)
    feed = feed_of(self_test)
    most = 0 if self_test.asker.startswith(PERSON) else ANONYMOUS_BYTES
    policy = _policy(options) or registered_policy(feed.base_url)
    report = report_of(probe_feed(feed, _size(options), policy, most))
    return _without_path(report) if options.get("stored") else report


def feed_of(self_test: SelfTest) -> Feed:
    """The feed for the address of a self-test, unsaved. Raises TransportError if it is no web address.

    Only the registration pages may name a path, that of an uploaded file (option `stored`).
    """
    options = self_test.wishes
    base_url, protocol = options.get("base_url", ""), options.get("protocol", "")
    if not is_web_address(base_url) and not options.get("stored"):
        raise TransportError("no web address", "net.bad_url", permanent=True, url=base_url)
    return Feed(
        protocol=protocol or guess_protocol(base_url),
        base_url=base_url,
        metadata_prefix=options.get("prefix", ""),
        set_spec=options.get("set_spec", ""),
        full_url=options.get("full_url", ""),
        encoding=options.get("encoding", ""),
        columns=options.get("columns", {}),
        live_options=options.get("live", {}),
        credentials=bytes(self_test.credentials),
    )


def _read(payload: bytes, options: dict[str, Any]) -> Report:
    """The report about pasted data: a file of any kind, parts of an OAI-PMH response, or one record."""
    pieces = _pieces(payload) if _PART_OF_OAI.match(payload) else []
    if pieces:
        return _read_pieces(pieces, options)
    with named(".xml") as file:
        file.write(payload)
        file.flush()
        feed = Feed(protocol=for_files().name, base_url=file.name, metadata_prefix=options.get("prefix", ""))
        result = probe_feed(feed, _size(options), _policy(options))
    if result.received == 0 and payload.lstrip()[:1] in (b"<", b"{"):
        return _read_pieces([payload], options)
    return _without_names(report_of(result))


def _pieces(payload: bytes) -> list[bytes]:
    """The contents of the metadata elements, found by text search, in time linear in the length of the payload.

    The data may be a fragment that no XML parser accepts.
    """
    pieces, position = [], 0
    for begin in _BEGINS.finditer(payload):
        if begin.start() < position:
            continue
        end = _ENDS.search(payload, begin.end())
        if end is None:
            break
        pieces.append(payload[begin.end() : end.start()])
        position = end.end()
    return pieces


def _read_pieces(pieces: list[bytes], options: dict[str, Any]) -> Report:
    """The report about these pieces, each taken as one record even if it cannot be read."""
    prefix = options.get("prefix", "")
    result = Probe(base_url="", protocol=for_files().name, prefix=prefix, complete=True)
    for number, piece in enumerate(pieces[: _size(options)], 1):
        record = HarvestedRecord(identifier=str(number), payload=piece.strip())
        written_in = format_of(record)
        result.prefix = result.prefix or written_in
        result.policy = result.policy or _policy(options) or policy_by_profile(usual_profile(result.prefix))
        result.received += 1
        result.readings.append((record.identifier, reading_of(record, result.prefix, result.policy)))
        result.payloads.append(record.payload)
        result.written_in.append(written_in)
    return _without_names(report_of(result))


def _without_names(report: Report) -> Report:
    """The report without the name of our temporary file, and without the generated identifier of a single record."""
    is_single = len(report.records) == 1
    records = tuple(
        structs.replace(
            sampled,
            identifier="" if is_single else sampled.identifier,
            findings=tuple(issue for issue in sampled.findings if not (is_single and issue.code == _MADE_UP)),
        )
        for sampled in report.records
    )
    return _without_path(structs.replace(report, records=records))


def _without_path(report: Report) -> Report:
    """The report without the paths of files on this machine, which visitors must not see."""
    observations = tuple(
        structs.replace(observation, facts={**observation.facts, "file": "–", "url": "–"})
        for observation in report.reported
    )
    return structs.replace(report, base_url="", reported=observations)


def _policy(options: dict[str, Any]) -> Policy | None:
    profile = options.get("profile", "")
    return policy_by_profile(Profile(profile)) if profile else None


def _size(options: dict[str, Any]) -> int:
    return min(MOST_SAMPLED, max(1, int(options.get("sample", SAMPLE))))


def _finish(self_test: SelfTest, state: str, **values: Any) -> str:
    """Store the final state and delete the credentials; return the state."""
    values |= {"state": state, "finished": timezone.now(), "credentials": b""}
    SelfTest.objects.filter(pk=self_test.pk).update(**values)
    self_test.state = state
    return state


def _check_limits(asker: str, host: str) -> None:
    """Raise TooMany if a limit per hour is reached. Counts in the database, which all processes share.

    Visitors and people who are logged in have limits of their own, so that nobody can keep librarians from working.
    """
    recent = SelfTest.objects.filter(created__gte=timezone.now() - HOUR)
    if asker.startswith(PERSON):
        limits = [(OF_LIBRARIANS, Q(asker__startswith=PERSON)), (PER_LIBRARIAN, Q(asker=asker))]
    else:
        recent = recent.exclude(asker__startswith=PERSON)
        limits = [(FOR_ALL, Q()), (PER_ASKER, Q(asker=asker)), (PER_HOST, Q(host=host))]
        limits = [limit for limit, given in zip(limits, (True, asker, host), strict=True) if given]
    for number, condition in limits:
        oldest = (
            recent.filter(condition).order_by("-created").values_list("created", flat=True)[number - 1 : number].first()
        )
        if oldest is not None:
            raise TooMany(max(1, int((oldest + HOUR - timezone.now()).total_seconds())))
