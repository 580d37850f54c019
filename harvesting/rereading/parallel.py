"""Reads stored records again in this process or, if there are many, in one process per core. No database access."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.work.garbage import gc_paused
from core.work.processes import cores, process_pool
from harvesting.issues.storage import IssueRow
from harvesting.records.enriched import EnrichedRow
from harvesting.registry.policies import schemas
from harvesting.rereading.decisions import Rereading, Stored, decide
from metadata.issue import Issue
from metadata.policy import Policy

MIN_FOR_PROCESSES = 20_000  # records; fewer are read faster than other processes can start
BATCHES_AHEAD = 2  # batches in the queue of every process

type Policies = Mapping[str, Policy]  # by repository number
type Result = Callable[[], list[Rereading]]  # waits for the result


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read batches. read: starts reading a batch. ahead: batches to start before waiting for the first."""

    read: Callable[[Sequence[Stored], Policies], Result]
    ahead: int = 0


@contextmanager
def reader(records: int) -> Iterator[Reader]:
    """The reader that suits this number of records."""
    count = cores()
    if records < MIN_FOR_PROCESSES or count < 2:
        yield Reader(lambda stored, policies: lambda: read_all(stored, policies))
        return
    with process_pool(count) as pool:
        yield Reader(lambda stored, policies: _submit(pool, stored, policies), BATCHES_AHEAD * count)


def read_all(stored: Sequence[Stored], policies: Policies) -> list[Rereading]:
    """The results for these records, read in this process."""
    with gc_paused():
        return [decide(record, policies[record.number]) for record in stored]


class _Result(NamedTuple):
    """A Rereading as a process returns it: without the stored record, which the caller still has."""

    record: bytes
    enriched: EnrichedRow | None
    issues: Sequence[Issue]
    rows: Sequence[IssueRow]
    accepted: bool
    refused: bool
    withdrawn: bool


def _submit(pool: Executor, stored: Sequence[Stored], policies: Policies) -> Result:
    """Start reading in another process. Compiled schemas cannot be pickled, so every process loads its own."""
    plain = {number: replace(policy, schemas=None) for number, policy in policies.items()}
    checked = any(policy.schemas is not None for policy in policies.values())
    future = pool.submit(_read_in_process, stored, plain, checked)
    return lambda: [
        Rereading(stored=record, **result._asdict()) for record, result in zip(stored, future.result(), strict=True)
    ]


def _read_in_process(stored: Sequence[Stored], policies: Policies, checked: bool) -> list[_Result]:
    if checked:
        policies = {number: replace(policy, schemas=schemas()) for number, policy in policies.items()}
    return [
        _Result(*(getattr(rereading, name) for name in _Result._fields)) for rereading in read_all(stored, policies)
    ]
