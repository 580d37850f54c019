"""What a provider sent of its own accord for a run, as its transport needs it. Sends no requests."""

from harvesting.models import Harvest, Push
from harvesting.registry import uploads
from harvesting.types import NOTHING_PUSHED, Pushed


def pushed_for(run: Harvest) -> Pushed:
    """What was pushed for this run; NOTHING_PUSHED for the runs of all other feeds."""
    if not run.feed.transport_kind.is_pushed:
        return NOTHING_PUSHED
    push = Push.objects.filter(harvest=run.pk).exclude(file="").first()
    if push is None:
        return NOTHING_PUSHED
    return Pushed(
        path=uploads.local_path(push.file),
        whole=push.content == Push.Content.WHOLE,
        removes=push.content == Push.Content.REMOVAL,
        identifier=push.identifier,
    )
