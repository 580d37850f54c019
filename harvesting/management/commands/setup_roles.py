"""`manage.py setup_roles`: creates the groups of staff and librarians with their permissions."""

from typing import Any

from core.commands import AggregatorCommand
from harvesting.accounts.roles import PERMISSIONS, ensure_roles


class Command(AggregatorCommand):
    help = "Create the groups staff and librarians with their permissions. Safe to run again."

    def handle(self, **options: Any) -> None:
        ensure_roles()
        if options["json"]:
            self.print_json({"groups": list(PERMISSIONS)})
