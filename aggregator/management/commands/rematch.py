"""`manage.py rematch`: match everything again, after the matcher changed."""

from typing import Any

from django.utils.translation import gettext as _

from harvesting.command import AggregatorCommand
from harvesting.models import SourceRecord


class Command(AggregatorCommand):
    help = "Mark all records to be matched again. Then run: aggregate"

    def handle(self, **options: Any) -> None:
        marked = SourceRecord.objects.exclude(record=b"").update(aggregated_at=None)
        if options["json"]:
            self.print_json({"records": marked})
            return
        self.stdout.write(
            _("%(records)d records wait to be matched again. Next: manage.py aggregate") % {"records": marked}
        )
