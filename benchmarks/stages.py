"""CPU time by stage, for the benchmarks. Knows nothing of what it times."""

import os
import resource
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import psutil


class Stages:
    """CPU seconds by stage; what runs inside a stage under another name is subtracted from it."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner: list[float] = []

    def wrap(self, owner: Any, name: str, stage: str) -> None:
        """Time every call of owner.name as `stage`."""
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            begun = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                spent = time.process_time() - begun
                self.seconds[stage] += spent - self._inner.pop()
                if self._inner:
                    self._inner[-1] += spent

        setattr(owner, name, timed)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What the call gives, and the CPU seconds it took."""
    begun = time.process_time()
    result = call()
    return result, time.process_time() - begun


def peak_mb() -> float:
    """The most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def own_mb() -> float:
    """The memory that this process has now, in MiB, without files that the system shows it (those of the index)."""
    told = psutil.Process(os.getpid()).memory_info()
    return (told.rss - told.shared) / 2**20
