"""`manage.py cancel N|R…`: ends a run; it cannot be resumed. Records already stored stay."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = (
        "Cancel harvests. A running harvest ends after its current page, any other one at once. A cancelled harvest "
        "cannot be resumed. The records that it has stored are kept."
    )
    stop_request = "cancel"
