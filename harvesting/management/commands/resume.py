"""`manage.py resume N|R…`: lets a paused run continue."""

from harvesting.management.stop import StopCommand


class Command(StopCommand):
    help = "Resume paused harvests: the next free worker continues them."
    stop_request = "resume"
