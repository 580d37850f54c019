"""Self-tests: whoever asks, the same report as a harvest gives. Stores nothing but the report, and that for 30 days.

A file of this machine is never named by an asker: what is pasted or uploaded is written to a temporary file.
"""

import re
from datetime import datetime, timedelta
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import urlsplit

import django_rq
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from msgspec import structs
from redis.exceptions import RedisError
from rq import Worker

from core.work import jobs
from harvesting.models import Feed, SelfTest
from harvesting.records.compression import pack_payload, unpack_payload
from harvesting.registry.policies import policy_by_profile, registered_policy, usual_profile
from harvesting.registry.registration import is_web_address
from harvesting.trials.probe import Probe, format_of, guess_protocol, probe_feed, reading_of
from harvesting.trials.report import Report, pack_report, report_of
from harvesting.types import HarvestedRecord, TransportError
from metadata.policy import Policy, Profile

KEPT_FOR = timedelta(days=30)
SAMPLE = 20  # records, where nobody says
MOST_SAMPLED = 50
LARGEST = 2 * 1024 * 1024  # bytes that are pasted or uploaded
AT_ONCE = 256 * 1024  # bytes that are read while the asker waits
JOB = "harvesting.tasks.run_validation"  # by name: the tasks import this module
QUEUE = "quick"
JOB_SECONDS = 300
STUCK = timedelta(seconds=2 * JOB_SECONDS)  # then its worker died
HOUR = timedelta(hours=1)
PER_ASKER, PER_HOST, FOR_ALL = 30, 20, 300  # self-tests an hour
_BEGINS = re.compile(rb"<(?:\w+:)?metadata(?:\s[^<>]*)?>")
_ENDS = re.compile(rb"</(?:\w+:)?metadata\s*>")
_PART_OF_OAI = re.compile(rb"\s*(?:<\?xml[^>]*>)?\s*<(?:\w+:)?(?:record|header|metadata)[\s>]")
_MADE_UP = "file.W004"  # an identifier was made up: of a record that was pasted by itself nothing else is expected


class TooMany(Exception):
    """The limit of an hour is reached; seconds: after which it is worth to ask again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def ask(wishes: dict[str, Any], payload: bytes = b"", asker: str = "", credentials: bytes = b"") -> SelfTest:
    """Store a self-test and have it run. Raises TooMany.

    wishes: as Validation.wishes. asker: a text for the network that asks; "" is not limited by itself.
    credentials: sealed, for the address that is asked.
    """
    host = (urlsplit(wishes.get("base_url", "")).hostname or "")[:255]
    with transaction.atomic():
        _limit(asker, host)
        made = SelfTest.objects.create(
            wishes=wishes, payload=pack_payload(payload), asker=asker, host=host, credentials=credentials
        )
    start(made)
    return made


def start(made: SelfTest) -> None:
    """Read a small paste at once; hand all else to a worker. Without a queue it waits for the dispatcher."""
    if made.payload and len(unpack_payload(bytes(made.payload))) <= AT_ONCE:
        run(made)
        return
    try:
        enqueue(made)
    except RedisError:
        return


def enqueue(made: SelfTest) -> None:
    """To the queue beside that of the harvests: a person waits for this. Raises RedisError."""
    jobs.put(f"validation-{made.pk}", JOB, made.pk, queue=django_rq.get_queue(QUEUE), longest=JOB_SECONDS)


def workers() -> int:
    """How many workers there are for this, 0 also where the queue is away."""
    try:
        return Worker.count(queue=django_rq.get_queue(QUEUE))
    except RedisError:
        return 0


def waiting() -> list[SelfTest]:
    """Those that some worker should take up; those that one has begun and never ended are failed."""
    now = timezone.now()
    stuck = SelfTest.objects.filter(state=SelfTest.State.RUNNING, begun__lt=now - STUCK)
    if stuck.exists():  # asked every few seconds, and writing waits for others
        stuck.update(state=SelfTest.State.FAILED, code="run.attempts", facts={"attempts": 1}, finished=now)
    return list(SelfTest.objects.filter(state=SelfTest.State.QUEUED).only("pk", "payload", "state")[:100])


def run(made: SelfTest) -> str:
    """Do a self-test that waits; returns its state. A fault of our own is recorded and raised."""
    claimed = SelfTest.objects.filter(pk=made.pk, state=SelfTest.State.QUEUED)
    if not claimed.update(state=SelfTest.State.RUNNING, begun=timezone.now()):
        return made.state
    try:
        report = look(made)
    except TransportError as error:
        return _end(made, SelfTest.State.FAILED, code=error.code, facts=dict(error.facts))
    except Exception as error:
        _end(made, SelfTest.State.FAILED, code="run.internal", facts={"reason": type(error).__name__})
        raise
    return _end(made, SelfTest.State.DONE, report=pack_report(report))


def prune(now: datetime) -> int:
    """Forget what is older than it is kept; returns how many."""
    old = SelfTest.objects.filter(created__lt=now - KEPT_FOR)
    return old.delete()[0]


def look(made: SelfTest) -> Report:
    """The report about what a self-test names. Raises TransportError where nothing can be reached."""
    wishes = made.wishes
    if made.payload:
        return _read(unpack_payload(bytes(made.payload)), wishes)
    feed = feed_of(made)
    report = report_of(probe_feed(feed, _size(wishes), _policy(wishes) or registered_policy(feed.base_url)))
    return _without_path(report) if wishes.get("stored") else report


def feed_of(made: SelfTest) -> Feed:
    """The feed that an address would be. An upload of a registration is named by its path, by us only."""
    wishes = made.wishes
    base_url, protocol = wishes.get("base_url", ""), wishes.get("protocol", "")
    if not is_web_address(base_url) and not wishes.get("stored"):
        raise TransportError("no web address", "net.bad_url", permanent=True, url=base_url)
    return Feed(
        protocol=protocol or guess_protocol(base_url),
        base_url=base_url,
        metadata_prefix=wishes.get("prefix", ""),
        set_spec=wishes.get("set_spec", ""),
        full_url=wishes.get("full_url", ""),
        encoding=wishes.get("encoding", ""),
        columns=wishes.get("columns", {}),
        credentials=bytes(made.credentials),
    )


def _read(payload: bytes, wishes: dict[str, Any]) -> Report:
    """Records that were given as such: a file of any kind, pieces of a response, or one record."""
    pieces = _pieces(payload) if _PART_OF_OAI.match(payload) else []
    if pieces:
        return _read_pieces(pieces, wishes)
    with NamedTemporaryFile(suffix=".xml") as file:
        file.write(payload)
        file.flush()
        feed = Feed(protocol=Feed.Protocol.FILE, base_url=file.name, metadata_prefix=wishes.get("prefix", ""))
        found = probe_feed(feed, _size(wishes), _policy(wishes))
    if found.received == 0 and payload.lstrip()[:1] in (b"<", b"{"):
        return _read_pieces([payload], wishes)
    return _without_names(report_of(found))


def _pieces(payload: bytes) -> list[bytes]:
    """What stands in each metadata element, found by searching: in time that grows with the text only."""
    found, behind = [], 0
    for begin in _BEGINS.finditer(payload):
        if begin.start() < behind:
            continue
        end = _ENDS.search(payload, begin.end())
        if end is None:
            break
        found.append(payload[begin.end() : end.start()])
        behind = end.end()
    return found


def _read_pieces(pieces: list[bytes], wishes: dict[str, Any]) -> Report:
    """Each piece as one record, also where it cannot be read."""
    prefix = wishes.get("prefix", "")
    found = Probe(base_url="", protocol=Feed.Protocol.FILE, prefix=prefix, complete=True)
    for number, piece in enumerate(pieces[: _size(wishes)], 1):
        record = HarvestedRecord(identifier=str(number), payload=piece.strip())
        written_in = format_of(record)
        found.prefix = found.prefix or written_in
        found.policy = found.policy or _policy(wishes) or policy_by_profile(usual_profile(found.prefix))
        found.received += 1
        found.readings.append((record.identifier, reading_of(record, found.prefix, found.policy)))
        found.payloads.append(record.payload)
        found.written_in.append(written_in)
    return _without_names(report_of(found))


def _without_names(report: Report) -> Report:
    """Nothing that speaks of our temporary file, and no word about the identifier of a record that came alone."""
    alone = len(report.records) == 1
    records = tuple(
        structs.replace(
            each,
            identifier="" if alone else each.identifier,
            findings=tuple(one for one in each.findings if not (alone and one.code == _MADE_UP)),
        )
        for each in report.records
    )
    return _without_path(structs.replace(report, records=records))


def _without_path(report: Report) -> Report:
    """Where a file lies on this machine is nobody's business."""
    told = tuple(structs.replace(each, facts={**each.facts, "file": "–", "url": "–"}) for each in report.told)
    return structs.replace(report, base_url="", told=told)


def _policy(wishes: dict[str, Any]) -> Policy | None:
    profile = wishes.get("profile", "")
    return policy_by_profile(Profile(profile)) if profile else None


def _size(wishes: dict[str, Any]) -> int:
    return min(MOST_SAMPLED, max(1, int(wishes.get("sample", SAMPLE))))


def _end(made: SelfTest, state: str, **values: Any) -> str:
    values |= {"state": state, "finished": timezone.now(), "credentials": b""}
    SelfTest.objects.filter(pk=made.pk).update(**values)
    made.state = state
    return state


def _limit(asker: str, host: str) -> None:
    """Count the last hour in the database, which all processes share."""
    recent = SelfTest.objects.filter(created__gte=timezone.now() - HOUR)
    for limit, whose in (
        (FOR_ALL, Q()),
        (PER_ASKER, Q(asker=asker) if asker else None),
        (PER_HOST, Q(host=host) if host else None),
    ):
        if whose is None:
            continue
        row = recent.filter(whose).order_by("-created").values_list("created", flat=True)[limit - 1 : limit].first()
        if row is not None:
            raise TooMany(max(1, int((row + HOUR - timezone.now()).total_seconds())))
