"""`manage.py cancel N|R…`: ends a run; it cannot be resumed. Records already stored stay."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Cancel harvests: at once, or after the current page. They cannot be resumed; what is stored stays."
    stop_request = "cancel"
