"""What SQLite and PostgreSQL do differently, as one object for each."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any, ClassVar

from django.db import models


class Work(Enum):
    """Kinds of work with a lock. The values are the numbers of PostgreSQL's advisory locks."""

    REREAD = 0x72657264
    INDEX = 0x696E6478
    RESOURCES = 0x72737263
    AGGREGATE = 0x61676772
    AGGREGATION = 0x6167676A  # matching, and what follows if nobody else does it; AGGREGATE is the writing of one batch
    MERGING = 0x6D657267
    PROVISION = 0x70726F76  # stamping and what follows from stamps; STAMPING is the writing of one step
    STAMPING = 0x7374616D
    HEADINGS = 0x68656164
    DOIS = 0x646F6973
    BULK_ACTIONS = 0x62756C6B


class Dialect(ABC):
    """The ways of one database. All methods use Django's default connection."""

    name: ClassVar[str]  # as Django names it
    # Whether writers of different rows work at the same time, so that rows are locked. Otherwise one process writes.
    locks_rows: ClassVar[bool]
    takes_arrays: ClassVar[bool]  # whether a statement takes a batch of rows as arrays
    prepares_statements: ClassVar[bool]  # whether a session can prepare a statement by name
    is_networked: ClassVar[bool]  # whether other machines can use the database

    @abstractmethod
    def clock(self) -> int:
        """Return the current second since 1970 by the clock that all writers share."""

    @abstractmethod
    def size(self) -> int:
        """Return the size of the database in bytes."""

    @abstractmethod
    def take_statistics(self) -> None:
        """Update the planner's statistics of all tables, which it lacks for tables that were just filled."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """A transaction in which everything is read from one state of the database, without blocking writers."""

    @abstractmethod
    def try_lock(self, work: Work) -> AbstractContextManager[bool]:
        """Try to take the lock for the block; gives whether it was taken."""

    @abstractmethod
    def lockable_transaction(self, work: Work) -> AbstractContextManager[Callable[[], object]]:
        """A transaction. Gives a function that takes the lock, which is held until after the commit."""

    @abstractmethod
    def wait_until_unlocked(self, work: Work, timeout: float) -> bool:
        """Wait until no transaction has the lock; return whether that was so within `timeout` seconds."""

    @abstractmethod
    def lock_until_commit(self, work: Work, seconds: int) -> None:
        """Take the lock for the rest of the open transaction. Raises OperationalError after `seconds`."""

    @abstractmethod
    def last_number(self, table: type[models.Model]) -> int:
        """Return the highest primary key ever assigned; 0 if the table assigns none, or has assigned none so far."""

    @abstractmethod
    def set_last_number(self, table: type[models.Model], number: int) -> None:
        """Make the table assign keys above this number."""

    @abstractmethod
    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows in the fastest way. table, columns: quoted names."""

    @abstractmethod
    def check_references_at_once(self) -> None:
        """Check foreign keys after every statement of this transaction instead of at its end, which would need memory
        for all rows. References within a table remain deferred, since the other row may come later.
        """

    @abstractmethod
    def overwrite_deleted(self) -> None:
        """Make this connection overwrite what it deletes from now on, where the database can do so."""

    @abstractmethod
    def wipe(self) -> bool:
        """Rewrite the database without deleted rows. Return whether nothing of them is left.

        Raises OperationalError if other connections make that impossible now.
        """
