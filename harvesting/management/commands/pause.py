"""`manage.py pause N|R…`: puts a run aside until a person resumes it."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Pause harvests: at once, or behind the page under way. They go on when resumed."
    stop_request = "pause"
