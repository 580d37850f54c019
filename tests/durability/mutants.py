"""Three planted faults, which the trials must catch. Each of them patches one worker. Needs Django set up."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from harvesting.completion import conclusion, sweep
from harvesting.harvest import run as runs
from harvesting.harvest import store, watchdog
from harvesting.harvest.store import store_batch
from harvesting.models import Harvest
from harvesting.runs import fencing, lifecycle
from harvesting.types import Batch


def replace(owner: object, name: str, value: object) -> None:
    """Set an existing attribute. Fails if there is none, since after a renaming the mutant would plant no fault."""
    assert hasattr(owner, name), f"{owner!r} has no {name}"
    setattr(owner, name, value)


def token_before_records() -> None:
    """Commit the resumptionToken separately, before the records of its page."""

    def store_token_first(run: Harvest, batch: Batch) -> Counter[str]:
        if batch.resumption_token:
            Harvest.objects.filter(pk=run.pk, fence=run.fence).update(resumption_token=batch.resumption_token)
        return store_batch(run, batch)

    replace(runs, "store_batch", store_token_first)


def no_fence() -> None:
    """Let a worker write even if another has taken over its run."""

    def unfenced(function: Callable[..., None]) -> Callable[..., None]:
        def write(run: Harvest, *arguments: Any, **columns: Any) -> None:
            run.fence = Harvest.objects.values_list("fence", flat=True).get(pk=run.pk)
            function(run, *arguments, **columns)

        return write

    for module in (store, sweep, conclusion):
        replace(module, "write_fenced", unfenced(fencing.write_fenced))
    replace(lifecycle, "move", unfenced(lifecycle.move))
    replace(watchdog.Watchdog, "check", lambda self: None)


def watermark_at_the_end() -> None:
    """Set the watermark to the end of the run instead of its start."""
    replace(lifecycle, "watermark", lambda run: timezone.now())


MUTANTS: dict[str, Callable[[], None]] = {
    "token before records": token_before_records,
    "no fence": no_fence,
    "watermark = end": watermark_at_the_end,
}
