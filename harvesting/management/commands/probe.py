"""`manage.py probe URL`: what a provider offers and what registering it would mean. Stores nothing."""

from collections import Counter
from collections.abc import Iterator
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

MOST_SETS = 20  # shown


class Command(AggregatorCommand):
    help = "Ask an address what it offers over any protocol, validate a sample, say what is odd. Stores nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("base_url", help="base URL of the interface, home page, feed or file")
        parser.add_argument("--protocol", default="", choices=Feed.Protocol.values, help="default: it is found out")
        parser.add_argument("--prefix", default="", help="metadataPrefix of the sample; default: the best one offered")
        parser.add_argument("--sample", type=int, default=20, help="how many records to look at (default 20)")

    def handle(self, **options: Any) -> None:
        base_url = options["base_url"]
        try:
            found = probe(
                base_url, protocol=options["protocol"], prefix=options["prefix"], sample=max(1, options["sample"])
            )
        except TransportError as error:
            text = describe(error.code, {"base_url": base_url, **error.facts})
            raise fail(text, USAGE if error.code == "net.bad_url" else FAILED) from error
        if options["json"]:
            self.print_json(summary(found))
        else:
            self._report(found)
        if not found.usable:
            raise SystemExit(FAILED)

    def _report(self, found: Probe) -> None:
        lines = [*about_provider(found), *about_oddities(found)]
        lines += about_sample(found) if found.usable else []
        for line in filter(None, lines):
            self.stdout.write(line)


def about_provider(found: Probe) -> Iterator[str]:
    """What it is and what it offers."""
    yield _("Protocol: %(protocol)s") % {"protocol": Feed.Protocol(found.protocol).label}
    if found.identity:
        yield _("Name: %(name)s") % {"name": found.identity.repository_name or "?"}
        yield _("Date stamps: %(granularity)s") % {"granularity": found.identity.granularity or "?"}
        yield str(DELETION.get(found.identity.deleted_record, ""))
    yield _("Formats: %(formats)s") % {"formats": ", ".join(each.prefix for each in found.formats) or "–"}
    shown = [f"{each.spec} ({each.name})" if each.name else each.spec for each in found.sets[:MOST_SETS]]
    more = " …" if len(found.sets) > MOST_SETS else ""
    yield _("Sets: %(sets)s") % {"sets": (", ".join(shown) or "–") + more}


def about_oddities(found: Probe) -> Iterator[str]:
    """What was refused, and what the transport noticed."""
    said = set()
    for verb, error in found.errors.items():
        if error.code not in said:  # a web page answers every question in the same way
            said.add(error.code)
            yield f"{verb}: {told(error, found)}" if found.protocol == "oai-pmh" else told(error, found)
    for code, count in found.notices.items():
        yield f"{code} × {count}: {describe(code, found.facts[code])}"


def about_sample(found: Probe) -> Iterator[str]:
    """How the sample would be read, and what registering would mean."""
    yield _("Sample in %(prefix)s: %(received)d received, %(registered)d can be registered, %(deleted)d deleted") % {
        "prefix": found.prefix or "?",
        "received": found.received,
        "registered": found.registered,
        "deleted": found.deleted,
    }
    language = locale_language()
    first = {issue.code: issue for issue in reversed(found.issues)}
    for code, count in Counter(issue.code for issue in found.issues).most_common():
        yield f"  {code} ({severity(code)}) × {count}: {sentence(first[code], language)}"
    size = found.received if found.complete else found.complete_list_size
    if size:
        yield _("A first harvest would bring %(size)s records.") % {"size": size}
    if found.memory.get("hub") and found.memory.get("topic"):
        yield _("The provider tells of changes by itself (WebSub); that is used.")
    prefix = f" --prefix {found.prefix}" if found.prefix else ""
    yield _("To register: manage.py register --name … --protocol %(protocol)s --base-url %(url)s%(prefix)s") % {
        "protocol": found.protocol,
        "url": found.base_url,
        "prefix": prefix,
    }


def told(error: TransportError, found: Probe) -> str:
    """What went wrong, as a sentence."""
    return describe(error.code, {"base_url": found.base_url, "prefix": found.prefix, **error.facts})


def summary(found: Probe) -> dict[str, Any]:
    """The probe as one JSON object."""
    identity = found.identity
    return {
        "base_url": found.base_url,
        "protocol": found.protocol,
        "guessed": found.guessed,
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
        "errors": {verb: {"code": error.code, "message": told(error, found)} for verb, error in found.errors.items()},
        "notices": [
            {"code": code, "count": count, "message": describe(code, found.facts[code])}
            for code, count in found.notices.items()
        ],
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
