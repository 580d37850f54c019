"""`manage.py subjects`: import a list of subjects with their relations, for "see also" on the pages of subjects."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.browse.subject_lists import UnreadableList, read_list, replace_list
from core.commands import USAGE, AggregatorCommand, fail


class Command(AggregatorCommand):
    help = (
        "Import a list of subjects with their relations (CSV or TSV with the columns subject, relation, other; "
        "relation: broader, narrower, related or use), which replaces the list of this name; or remove the list."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="name of the list, as pages show it: NDLSH, BSH")
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument("--import", dest="file", metavar="FILE", help="the list")
        action.add_argument("--remove", action="store_true", help="remove the list")

    def handle(self, **options: Any) -> None:
        rows = []
        if options["file"]:
            try:
                rows = read_list(Path(options["file"]).read_bytes())
            except (OSError, UnreadableList) as error:
                raise fail(f"{options['file']}: {error}", USAGE) from error
        replace_list(options["name"], rows)
        if options["json"]:
            self.print_json({"list": options["name"], "relations": len(rows)})
        else:
            self.say(_("%(list)s: %(count)s relations.") % {"list": options["name"], "count": len(rows)})
