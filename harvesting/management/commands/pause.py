"""`manage.py pause N|R…`: pauses a run until a person resumes it."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Pause harvests: a running harvest after its current page, any other one at once. “resume” continues them."
    stop_request = "pause"
