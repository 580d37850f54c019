"""Who reads stored records again: this process, or for many of them one process for each core. Asks no database."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.work.garbage import no_cycles
from core.work.processes import cores, processes
from harvesting.issues.storage import IssueRow
from harvesting.registry.policies import schemas
from harvesting.rereading.decisions import Rereading, Stored, decide
from metadata.issue import Issue
from metadata.policy import Policy

FEW = 20_000  # records: fewer are read before other processes have started
AHEAD = 2  # batches that wait for each process

type Policies = Mapping[str, Policy]  # by repository number
type Result = Callable[[], list[Rereading]]  # waits until it is there


@dataclass(frozen=True, slots=True)
class Reader:
    """read: begins with some records. ahead: how many batches to begin with before the first result is waited for."""

    read: Callable[[Sequence[Stored], Policies], Result]
    ahead: int = 0


@contextmanager
def reader(records: int) -> Iterator[Reader]:
    """The one that suits so many records."""
    count = cores()
    if records < FEW or count < 2:
        yield Reader(lambda stored, policies: lambda: read_all(stored, policies))
        return
    with processes(count) as pool:
        yield Reader(lambda stored, policies: _elsewhere(pool, stored, policies), AHEAD * count)


def read_all(stored: Sequence[Stored], policies: Policies) -> list[Rereading]:
    """What becomes of each of these records."""
    with no_cycles():
        return [decide(each, policies[each.number]) for each in stored]


class _Found(NamedTuple):
    """A Rereading on its way back, without what was sent."""

    record: bytes
    issues: Sequence[Issue]
    rows: Sequence[IssueRow]
    accepted: bool
    refused: bool


def _elsewhere(pool: Executor, stored: Sequence[Stored], policies: Policies) -> Result:
    """Compiled schemas cannot be sent; each process has its own."""
    plain = {number: replace(policy, schemas=None) for number, policy in policies.items()}
    checked = any(policy.schemas is not None for policy in policies.values())
    found = pool.submit(_read_here, stored, plain, checked)
    return lambda: [Rereading(stored=one, **other._asdict()) for one, other in zip(stored, found.result(), strict=True)]


def _read_here(stored: Sequence[Stored], policies: Policies, checked: bool) -> list[_Found]:
    if checked:
        policies = {number: replace(policy, schemas=schemas()) for number, policy in policies.items()}
    return [
        _Found(each.record, each.issues, each.rows, each.accepted, each.refused) for each in read_all(stored, policies)
    ]
