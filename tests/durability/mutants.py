"""Three planted faults, to see that the trials have teeth. Each patches one worker. Needs Django set up."""

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
    """Set an attribute that exists: after a renaming, a mutant must fail rather than plant nothing."""
    assert hasattr(owner, name), f"{owner!r} has no {name}"
    setattr(owner, name, value)


def token_before_records() -> None:
    """The resumptionToken is committed on its own, before the records of its page."""

    def store_token_first(run: Harvest, batch: Batch) -> Counter[str]:
        if batch.resumption_token:
            Harvest.objects.filter(pk=run.pk, fence=run.fence).update(resumption_token=batch.resumption_token)
        return store_batch(run, batch)

    replace(runs, "store_batch", store_token_first)


def no_fence() -> None:
    """A worker writes whether or not another has taken its run."""

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
    """The watermark is the moment at which the run ends."""
    replace(lifecycle, "watermark", lambda run: timezone.now())


MUTANTS: dict[str, Callable[[], None]] = {
    "token before records": token_before_records,
    "no fence": no_fence,
    "watermark = end": watermark_at_the_end,
}
