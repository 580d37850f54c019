"""`manage.py probe URL`: what a provider offers and what registering it would mean. Stores nothing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.commands import FAILED, USAGE, AggregatorCommand, fail, locale_language
from harvesting.messages import describe, happened
from harvesting.models import Feed, Repository
from harvesting.registry.policies import policy_by_profile, usual_profile
from harvesting.runs.observations import CHECKED, NOT_CHECKED
from harvesting.trials.probe import Probe, probe
from harvesting.types import TransportError
from metadata.catalogue import sentence, severity_label
from metadata.issue import Issue, Reading
from metadata.policy import Policy, Profile

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
        parser.add_argument(
            "--profile",
            default="",
            choices=Repository.Profile.values,
            help="how strictly to check; default: as the repository with this address is checked, or would be",
        )
        parser.add_argument("--sample", type=int, default=20, help="how many records to look at (default 20)")

    def handle(self, **options: Any) -> None:
        base_url = options["base_url"]
        policy = policy_by_profile(Profile(options["profile"])) if options["profile"] else None
        wishes = {"protocol": options["protocol"], "prefix": options["prefix"], "sample": max(1, options["sample"])}
        try:
            found = probe(base_url, policy=policy, **wishes)
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
    for code, count in found.observations.items():
        yield f"{code} × {count}: {describe(code, found.facts[code])}"


def about_sample(found: Probe) -> Iterator[str]:
    """How the sample would be read, and what registering would mean."""
    yield _("Sample in %(prefix)s: %(received)d received, %(registered)d can be registered, %(deleted)d deleted") % {
        "prefix": found.prefix or "?",
        "received": found.received,
        "registered": found.registered,
        "deleted": found.deleted,
    }
    policy = found.policy or Policy()
    yield _("Checked by the profile: %(profile)s") % {"profile": profile_words(policy)}
    if found.readings:
        yield happened(CHECKED if policy.schemas else NOT_CHECKED, {})
    language = locale_language()
    first = {issue.code: issue for issue in reversed(found.issues)}
    for code, count in Counter(issue.code for issue in found.issues).most_common():
        severity = policy.severity(code)
        if severity is not None:
            text = sentence(first[code], language, severity)
            yield f"  {code} ({severity_label(severity, language)}) × {count}: {text}"
    size = found.received if found.complete else found.complete_list_size
    if size:
        yield _("A first harvest would bring %(size)s records.") % {"size": size}
    if found.memory.get("hub") and found.memory.get("topic"):
        yield _("The provider tells of changes by itself (WebSub); that is used.")
    more = f" --prefix {found.prefix}" if found.prefix else ""
    more += f" --profile {policy.profile}" if policy.profile != usual_profile(found.prefix) else ""
    yield _("To register: manage.py register --name … --protocol %(protocol)s --base-url %(url)s%(prefix)s") % {
        "protocol": found.protocol,
        "url": found.base_url,
        "prefix": more,
    }


def profile_words(policy: Policy) -> str:
    """The profile, and how many rules of the registered repository count otherwise."""
    label = f"{policy.profile} ({Repository.Profile(policy.profile).label})"
    if not policy.switches:
        return label
    return label + _(", switched rules: %(count)s") % {"count": len(policy.switches)}


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
        "profile": found.policy.profile if found.policy else "",
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
            for code, count in found.observations.items()
        ],
        "sample": {
            "received": found.received,
            "registered": found.registered,
            "deleted": found.deleted,
            "schemas": bool(found.policy and found.policy.schemas),
            "complete_list_size": found.complete_list_size,
            "issues": dict(found.severities),
            "records": [record_of(identifier, reading, found) for identifier, reading in found.readings],
        },
    }


def record_of(identifier: str, reading: Reading, found: Probe) -> dict[str, Any]:
    """A record of the sample."""
    return {
        "identifier": identifier,
        "registered": reading.record is not None,
        "title": reading.record.title if reading.record else "",
        "issues": [issue_of(issue, found.policy or Policy()) for issue in reading.issues],
    }


def issue_of(issue: Issue, policy: Policy) -> dict[str, Any]:
    """A finding about a record of the sample."""
    severity = policy.severity(issue.code)
    return {
        "code": issue.code,
        "severity": severity,
        "field": issue.field,
        "value": issue.value,
        "result": issue.result,
        "message": sentence(issue, locale_language(), severity),
    }
