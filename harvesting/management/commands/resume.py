"""`manage.py resume N|R…`: a paused run goes on."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Let paused harvests go on: the next free worker takes them up."
    stop_request = "resume"
