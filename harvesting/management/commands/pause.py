"""`manage.py pause N|R…`: puts a run aside until a person resumes it."""

from harvesting.management.wish import WishCommand


class Command(WishCommand):
    help = "Pause harvests: at once, or behind the page under way. They go on when resumed."
    wish = "pause"
