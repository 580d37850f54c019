"""`manage.py cancel N|R…`: ends a run for good; what is stored stays."""

from harvesting.management.wish import WishCommand


class Command(WishCommand):
    help = "Cancel harvests for good: at once, or behind the page under way. What is stored stays."
    wish = "cancel"
