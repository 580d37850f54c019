"""`manage.py cancel N|R…`: ends a run for good; what is stored stays."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Cancel harvests for good: at once, or behind the page under way. What is stored stays."
    stop_request = "cancel"
