"""`manage.py setup_demo`: registers the sample providers as repositories and creates accounts to log in with."""

import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management.base import CommandParser
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat, Substr

from core.commands import AggregatorCommand
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import Feed, Repository, SourceRecord
from harvesting.registry.policies import usual_profile
from harvesting.registry.registration import register, reset_harvest_state, source_key
from sampleprovider.demo.headers import SIZES, DemoHeader, headers

USERS = {"admin": "", "staff": STAFF, "librarian": LIBRARIANS}  # login name -> group; admin is the superuser


class Command(AggregatorCommand):
    help = "Register the sample providers and create the demo logins. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--provider-url", default="http://127.0.0.1:8400", help="where `sampleprovider` listens")
        parser.add_argument("--size", choices=SIZES, default="small", help="large: register the large providers, too")

    @transaction.atomic
    def handle(self, **options: Any) -> None:
        ensure_roles()
        registered = set(Repository.objects.values_list("number", flat=True))
        # Providers that a larger demo registered earlier get this address as well.
        repositories = [
            demo_repository(header, f"{options['provider_url']}/{name}")
            for name, header in headers("large").items()
            if name in headers(options["size"]) or header.number in registered
        ]
        repositories.sort(key=lambda repository: repository.number)
        password = demo_password(settings.DATA_DIR)
        for name, group in USERS.items():
            demo_user(name, group, password)
        librarian = get_user_model().objects.get(username="librarian")
        for repository in repositories:
            if repository.kind == Repository.Kind.LIBRARY:
                repository.managers.add(librarian)
        if options["json"]:
            self.print_json(
                {
                    "repositories": [repository.number for repository in repositories],
                    "harvested": [repository.number for repository in repositories if is_harvested(repository)],
                    "logins": list(USERS),
                    "password": password,
                }
            )
            return
        for repository in repositories:
            self.stdout.write(str(repository))
        for name in USERS:
            self.stdout.write(f"{name} / {password}")


def demo_repository(header: DemoHeader, base: str) -> Repository:
    """Register the repository of a sample provider, or update it. base: address of the provider's pages.

    If the address has changed, the next harvest requests everything, because all records link to the new one.
    """
    values = {
        "name": header.name,
        "name_yomi": header.name_yomi,
        "name_en": header.name_en,
        "kind": header.kind,
        "home_page": header.home_page.replace("{base}", base),
        "link_template": header.link_template.replace("{base}", base),
        "state": Repository.State.LIVE,
    }
    repository = Repository.objects.filter(number=header.number).first()
    if repository is None:
        profile = usual_profile(header.prefixes[0])
        repository = register(Repository(number=header.number, licence=header.licence, profile=profile, **values), [])
    else:
        Repository.objects.filter(pk=repository.pk).update(**values)
    feed = repository.feeds.first() or Feed(repository=repository)
    before, former = source_key(feed), feed.base_url.removesuffix(f"/{header.path}")
    feed.protocol, feed.base_url, feed.metadata_prefix = header.protocol, f"{base}/{header.path}", header.prefixes[0]
    feed.live_options = header.live
    if source_key(feed) != before:
        reset_harvest_state(feed)
        feed.save()
        move_identifiers(repository, former, base)
    return repository


def is_harvested(repository: Repository) -> bool:
    """Whether its records are collected; otherwise it is searched live."""
    return not any(feed.transport_kind.is_live for feed in repository.feeds.all())


def move_identifiers(repository: Repository, former: str, base: str) -> None:
    """Move the identifiers that are addresses at the former address, as they are over ResourceSync and RSS.

    Otherwise all records would be new ones, and the known ones missing.
    """
    moved = SourceRecord.objects.filter(repository=repository, identifier__startswith=f"{former}/")
    moved.update(identifier=Concat(Value(base), Substr("identifier", len(former) + 1)))


def demo_password(folder: Path) -> str:
    """The password of all demo accounts, created once per data folder and stored there."""
    path = folder / "demo_password"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def demo_user(name: str, group: str, password: str) -> None:
    """Create a demo account; an existing one keeps its password."""
    user, created = get_user_model().objects.get_or_create(
        username=name, defaults={"is_staff": True, "is_superuser": not group}
    )
    if created:
        user.set_password(password)
        user.save(update_fields=["password"])
    if group:
        user.groups.add(Group.objects.get(name=group))
