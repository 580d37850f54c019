"""`manage.py resume N|R…`: a paused run goes on."""

from harvesting.management.wish import WishCommand


class Command(WishCommand):
    help = "Let paused harvests go on: the next free worker takes them up."
    wish = "resume"
