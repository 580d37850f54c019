"""`manage.py probe URL`: what a provider offers and what registering it would mean. Stores nothing."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.command import FAILED, USAGE, AggregatorCommand, fail, locale_language
from harvesting.messages import describe
from harvesting.models import Feed
from harvesting.probe import Probe, probe
from harvesting.transports.base import TransportError
from metadata.validation.catalogue import sentence, severity

DELETION = {
    "no": gettext_lazy("Deletions are not announced: everything must be harvested from time to time to notice them."),
    "transient": gettext_lazy("Deletions are announced for some time: harvest often enough."),
    "persistent": gettext_lazy("Deletions are announced for good: incremental harvests are enough."),
}


class Command(AggregatorCommand):
    help = "Ask Identify, ListMetadataFormats and ListSets, validate a sample. Stores nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("base_url", help="base URL of the interface")
        parser.add_argument("--protocol", default="oai-pmh", choices=Feed.Protocol.values)
        parser.add_argument("--prefix", default="", help="metadataPrefix of the sample; default: the best one offered")
        parser.add_argument("--sample", type=int, default=20, help="how many records to look at (default 20)")

    def handle(self, **options: Any) -> None:
        try:
            found = probe(
                options["base_url"], protocol=options["protocol"], prefix=options["prefix"], sample=options["sample"]
            )
        except TransportError as error:
            text = describe(error.code, {"base_url": options["base_url"], **error.facts})
            raise fail(text, USAGE if error.code == "net.bad_url" else FAILED) from error
        if options["json"]:
            self.print_json(summary(found))
        else:
            self._report(found)
        if not found.usable:
            raise SystemExit(FAILED)

    def _report(self, found: Probe) -> None:
        write = self.stdout.write
        if found.identity:
            write(_("Name: %(name)s") % {"name": found.identity.repository_name})
            write(_("Date stamps: %(granularity)s") % {"granularity": found.identity.granularity or "?"})
            write(str(DELETION.get(found.identity.deleted_record, "")))
        write(_("Formats: %(formats)s") % {"formats": ", ".join(each.prefix for each in found.formats) or "–"})
        write(_("Sets: %(number)d") % {"number": len(found.sets)})
        for each in found.sets[:20]:
            write(f"  {each.spec}  {each.name}")
        said: set[str] = set()
        for verb, error in found.errors.items():
            if error.code in said:
                continue  # a web page answers every question in the same way
            said.add(error.code)
            facts = {"base_url": found.base_url, "prefix": found.prefix, **error.facts}
            write(f"{verb}: {describe(error.code, facts)}")
        if found.usable:
            self._report_sample(found)

    def _report_sample(self, found: Probe) -> None:
        write = self.stdout.write
        if found.complete_list_size:
            write(_("Records, as the provider says: %(number)d") % {"number": found.complete_list_size})
        write(
            _("Sample in %(prefix)s: %(received)d received, %(registered)d can be registered, %(deleted)d deleted")
            % {
                "prefix": found.prefix,
                "received": found.received,
                "registered": found.registered,
                "deleted": found.deleted,
            }
        )
        language = locale_language()
        first = {issue.code: issue for issue in reversed(found.issues)}
        for code, count in Counter(issue.code for issue in found.issues).most_common():
            write(f"  {code} ({severity(code)}) × {count}: {sentence(first[code], language)}")
        write(
            _("To register: manage.py register --name … --base-url %(url)s --prefix %(prefix)s")
            % {"url": found.base_url, "prefix": found.prefix}
        )


def summary(found: Probe) -> dict[str, Any]:
    """The probe as one JSON object."""
    identity = found.identity
    return {
        "base_url": found.base_url,
        "usable": found.usable,
        "prefix": found.prefix,
        "identify": identity
        and {
            "repository_name": identity.repository_name,
            "base_url": identity.base_url,
            "granularity": identity.granularity,
            "deleted_record": identity.deleted_record,
            "earliest_datestamp": identity.earliest_datestamp,
            "protocol_version": identity.protocol_version,
        },
        "formats": [{"prefix": each.prefix, "namespace": each.namespace} for each in found.formats],
        "sets": [{"spec": each.spec, "name": each.name} for each in found.sets],
        "errors": {
            verb: {
                "code": error.code,
                "message": describe(error.code, {"base_url": found.base_url, "prefix": found.prefix, **error.facts}),
            }
            for verb, error in found.errors.items()
        },
        "sample": {
            "received": found.received,
            "registered": found.registered,
            "deleted": found.deleted,
            "complete_list_size": found.complete_list_size,
            "issues": dict(found.severities),
            "records": [
                {
                    "identifier": identifier,
                    "registered": reading.record is not None,
                    "title": reading.record.title if reading.record else "",
                    "issues": [
                        {
                            "code": issue.code,
                            "field": issue.field,
                            "value": issue.value,
                            "message": sentence(issue, locale_language()),
                        }
                        for issue in reading.issues
                    ],
                }
                for identifier, reading in found.readings
            ],
        },
    }
