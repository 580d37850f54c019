"""`manage.py search Q`: the public search on the command line."""

from typing import Any

from django.core.management.base import CommandParser
from django.http import QueryDict
from django.utils.translation import gettext as _

from aggregator.provision.api.answers import answer
from aggregator.query.parameters import BadParameter, read_query, refusal
from aggregator.search.base import IndexUnavailable, QueryError
from core.commands import FAILED, USAGE, AggregatorCommand, fail


class Command(AggregatorCommand):
    help = "Search the merged catalogue. With --json: print the response of /api/search."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("q", help="words, or an ISBN")

    def handle(self, **options: Any) -> None:
        parameters = QueryDict(mutable=True)
        parameters["q"] = options["q"]
        try:
            found = answer(read_query(parameters, machine=True))
        except BadParameter as error:
            raise fail(str(error.reason), USAGE) from error
        except QueryError as error:
            raise fail(str(refusal(error).reason), USAGE) from error
        except IndexUnavailable as error:
            raise fail(
                _("The search index cannot be read (%(code)s). Next: manage.py reindex") % {"code": error.code}, FAILED
            ) from error
        if options["json"]:
            self.print_json(found)
            return
        self.stdout.write(_("%(total)d found") % found)
        for item in found["items"]:
            parts = [item["title"], item["volume"], "; ".join(item["creators"]), item["issued"], item["id"]]
            self.stdout.write("  ".join(part for part in parts if part))
