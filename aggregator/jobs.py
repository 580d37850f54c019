"""All kinds of jobs, in the order in which the dispatcher looks for them. A worker does no others."""

from django.utils.translation import gettext_lazy as _

from aggregator.alerts import sending as alerts
from aggregator.browse import counting
from aggregator.erasing.work import open_erasures
from aggregator.indexing.place import place
from aggregator.indexing.state import rebuild_is_due
from aggregator.libraries.remerging import has_outdated
from aggregator.links import checking
from aggregator.live import known_item
from aggregator.loan_desk.iso import sending
from aggregator.merging.stage import to_merge_beside_matching
from aggregator.models import LibraryMerge, Manifestation
from aggregator.provision import dumps, restamping
from aggregator.provision.resourcesync import packages
from aggregator.provision.resourcesync.changes import has_changes
from aggregator.provision.stamping import has_pending
from aggregator.statistics import contents
from core.work.jobs import Job, when
from core.work.worker import ListedJob
from harvesting import jobs as harvesting_jobs
from harvesting.bulk import running
from harvesting.models import SourceRecord


def _records_wait() -> bool:
    """Whether there is anything to match."""
    return SourceRecord.objects.pending().exists()


def _marks_wait() -> bool:
    """Whether there are books to merge."""
    return to_merge_beside_matching().exists() or LibraryMerge.objects.unsettled().exists() or has_outdated()


def _stamps_wait() -> bool:
    """Whether there is anything to stamp, or to take over into the ResourceSync lists."""
    return has_pending() or restamping.has_outdated() or has_changes()


def _books_wait() -> bool:
    """Whether there is anything to index."""
    return Manifestation.objects.to_index().exists()


def _rebuild_waits() -> bool:
    """Whether the index has to be built anew by a worker. One that follows is built by the process that follows."""
    return not place() and rebuild_is_due()


AGGREGATION = Job(
    kind="aggregations",
    label=_("Matching and merging"),
    function="aggregator.tasks.aggregate",
    waiting=when(_records_wait, "aggregate"),
    queue="aggregation",
    is_first=True,  # the other stages depend on it
)
# The stages after matching go on beside it, where workers are free: so one large harvest uses several processors.
MERGING = Job(
    kind="merging",
    label=_("Merging"),
    function="aggregator.tasks.merge",
    waiting=when(_marks_wait, "merge"),
    queue="aggregation",
)
INDEXING = Job(
    kind="indexing",
    label=_("Updating the search index"),
    function="aggregator.tasks.index",
    waiting=when(_books_wait, "index"),
    queue="aggregation",
)
STAMPING = Job(
    kind="stamping",
    label=_("Stamps and lists for those who harvest from this site"),
    function="aggregator.tasks.stamp",
    waiting=when(_stamps_wait, "stamp"),
    queue="aggregation",
)
REBUILDING = Job(
    kind="rebuilds",
    label=_("Building the search index anew"),
    function="aggregator.tasks.rebuild_index",
    waiting=when(_rebuild_waits, "rebuild"),
    queue="aggregation",
)
JOBS = (
    *harvesting_jobs.JOBS,
    AGGREGATION,
    MERGING,
    INDEXING,
    STAMPING,
    REBUILDING,
    Job(
        kind="erasures",
        label=_("Erasing a provider"),
        function="aggregator.tasks.erase_providers",
        waiting=when(open_erasures, "erase"),
    ),
    Job(
        kind="bulk_actions",
        label=_("Bulk actions"),
        function="aggregator.tasks.carry_out_bulk_actions",
        waiting=when(running.has_work, "bulk"),
    ),
    Job(
        kind="loan_messages",
        label=_("Messages of interlibrary loan"),
        function="aggregator.tasks.send_loan_messages",
        waiting=when(sending.has_due, "loans"),
    ),
    Job(
        kind="links",  # in portions, so that other work goes on between them
        label=_("Checking links"),
        function="aggregator.tasks.check_links",
        waiting=when(checking.is_due, "links"),
    ),
    Job(
        kind="live",
        label=_("Known-item searches in other catalogues"),
        function="aggregator.tasks.check_live_catalogues",
        waiting=when(known_item.is_due, "live"),
        hourly=True,
    ),
    Job(
        kind="figures",  # a job of its own, because a count reads all books
        label=_("Figures about all books"),
        function="aggregator.tasks.count_figures",
        waiting=when(contents.is_due, "figures"),
    ),
    Job(
        kind="alerts",
        label=_("Mails about new books"),
        function="aggregator.tasks.write_alerts",
        waiting=when(alerts.has_work, "alerts"),
        queue="aggregation",
    ),
    Job(
        kind="packages",
        label=_("Packages of ResourceSync"),
        function="aggregator.tasks.pack_resources",
        waiting=when(packages.is_due, "pack"),
        hourly=True,
    ),
    Job(
        kind="headings",
        label=_("Headings by which readers browse"),
        function="aggregator.tasks.count_all_headings",
        waiting=when(counting.is_due, "headings"),
    ),
    Job(
        kind="dumps",
        label=_("Dumps of all data"),
        function="aggregator.tasks.write_dump",
        waiting=when(dumps.is_due, "dump"),
        hourly=True,
    ),
)


class AggregatorJob(ListedJob):
    """A job that calls a function of the table."""

    functions = frozenset(job.function for job in JOBS)
