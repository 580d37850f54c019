"""`manage.py reread`: convert and validate stored payloads again."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from harvesting.command import USAGE, AggregatorCommand, fail, progress_bar
from harvesting.models import Repository, SourceRecord
from harvesting.reread import reread


class Command(AggregatorCommand):
    help = "Convert and validate stored payloads again, without asking the providers. Then run: aggregate"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repositories", nargs="*", metavar="R…", help="repository numbers; none: all")

    def handle(self, **options: Any) -> None:
        counts: Counter[str] = Counter()
        records = SourceRecord.objects.filter(deleted=False)
        for number in options["repositories"]:
            if not Repository.objects.filter(number=number).exists():
                raise fail(_("There is no repository %(number)s.") % {"number": number}, USAGE)
        if options["repositories"]:
            records = records.filter(repository__number__in=options["repositories"])
        with progress_bar(records.count(), "reread") as bar:
            for each in reread(options["repositories"]):
                counts.update(each)
                bar.update(each["records"])
        totals = {name: counts[name] for name in ("records", "changed", "refused", "issues_before", "issues_after")}
        if options["json"]:
            self.print_json(totals)
            return
        self.stdout.write(
            _(
                "%(records)d read again, %(changed)d changed, %(refused)d refused by the rules now "
                "(their earlier reading stays). Issues: %(issues_before)d before, %(issues_after)d now."
            )
            % totals
        )
