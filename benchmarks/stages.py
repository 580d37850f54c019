"""CPU time by stage and memory use of this process, for the benchmarks."""

import os
import resource
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import psutil


class Stages:
    """CPU seconds by stage. The time of a stage nested in another counts for the inner stage only."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner: list[float] = []

    def wrap(self, owner: Any, name: str, stage: str) -> None:
        """Replace the function owner.name by one that counts its time under `stage`."""
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
    """Return the result of the call and the CPU seconds that it took."""
    begun = time.process_time()
    result = call()
    return result, time.process_time() - begun


def peak_mb() -> float:
    """Return the peak resident memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def own_mb() -> float:
    """Return the present resident memory of this process in MiB, without mapped files (the search index is mapped)."""
    memory = psutil.Process(os.getpid()).memory_info()
    return (memory.rss - memory.shared) / 2**20
