"""`manage.py dump`: everything that is given on, in files under /dumps/."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.models import Provided
from aggregator.provision.dumps import FORMATS, KEPT, Dump, make
from aggregator.provision.resourcesync.packages import pack
from core.commands import AggregatorCommand, progress_bar


class Command(AggregatorCommand):
    help = "Write all records that are given on into files, which /dumps/ offers. Run it by night, for example weekly."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", action="append", choices=FORMATS, help="repeatable; default: all")
        parser.add_argument("--keep", type=int, default=KEPT, metavar="N", help=f"dumps that stay; default: {KEPT}")

    def handle(self, **options: Any) -> None:
        done: Dump | None = None
        total = Provided.objects.filter(stamp__isnull=False, deleted=False).count()
        with progress_bar(total, _("dump")) as bar:
            for step in make(options["format"] or list(FORMATS), options["keep"]):
                if isinstance(step, Dump):
                    done = step
                else:
                    bar.update(step)
        if done is None:
            return
        count = sum(1 for _each in pack())
        if options["json"]:
            self.print_json(asdict(done))
            return
        for each in done.files:
            line = _("%(name)s: %(records)d records, %(bytes)d bytes, SHA-256 %(sha256)s")
            self.stdout.write(line % asdict(each))
        self.stdout.write(_("ResourceSync: %(count)d packages were made anew.") % {"count": count})
