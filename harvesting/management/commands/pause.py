"""`manage.py pause N|R…`: pauses a run until a person resumes it."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Pause harvests: at once, or after the current page. They continue when resumed."
    stop_request = "pause"
