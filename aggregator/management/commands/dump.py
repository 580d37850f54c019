"""`manage.py dump`: write all redistributable records into files below /dumps/."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.models import Provided
from aggregator.provision.dumps import DUMPS_KEPT, FORMATS, Dump, make_dump
from aggregator.provision.resourcesync.packages import pack
from core.commands import AggregatorCommand, progress_bar


class Command(AggregatorCommand):
    help = "Write all redistributable records into files, which are served at /dumps/. Best run once a week, at night."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", action="append", choices=FORMATS, help="repeatable; default: all")
        parser.add_argument(
            "--keep", type=int, default=DUMPS_KEPT, metavar="N", help=f"number of dumps to keep; default: {DUMPS_KEPT}"
        )

    def handle(self, **options: Any) -> None:
        done: Dump | None = None
        total = Provided.objects.filter(stamp__isnull=False, deleted=False).count()
        with progress_bar(total, _("dump")) as bar:
            for step in make_dump(options["format"] or list(FORMATS), options["keep"]):
                if isinstance(step, Dump):
                    done = step
                else:
                    bar.update(step)
        if done is None:
            return
        count = sum(1 for _package in pack())
        if options["json"]:
            self.print_json(asdict(done))
            return
        for file in done.files:
            line = _("%(name)s: %(records)d records, %(bytes)d bytes, SHA-256 %(sha256)s")
            self.stdout.write(line % asdict(file))
        self.stdout.write(_("ResourceSync: %(count)d packages were rebuilt.") % {"count": count})
