"""`manage.py setup_demo`: registers the sample providers as repositories and creates accounts to log in with."""

import json
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management.base import CommandParser
from django.db import transaction

from core.commands import AggregatorCommand
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import Feed, Repository
from harvesting.registry.registration import register
from sampleprovider.demo import DEMO

USERS = {"admin": "", "staff": STAFF, "librarian": LIBRARIANS}  # login name -> group; admin is the superuser


class Command(AggregatorCommand):
    help = "Register the sample providers and create the demo logins. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--provider-url", default="http://127.0.0.1:8400", help="where `sampleprovider` listens")

    @transaction.atomic
    def handle(self, **options: Any) -> None:
        ensure_roles()
        repositories = [demo_repository(path, options["provider_url"]) for path in sorted(DEMO.glob("*.json"))]
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
                    "logins": list(USERS),
                    "password": password,
                }
            )
            return
        for repository in repositories:
            self.stdout.write(str(repository))
        for name in USERS:
            self.stdout.write(f"{name} / {password}")


def demo_repository(header: Path, provider_url: str) -> Repository:
    """Register the repository of one sample provider, or update it; its addresses follow the current provider URL."""
    facts = json.loads(header.read_text(encoding="utf-8"))
    base = f"{provider_url}/{header.stem}"
    values = {
        "name": facts["name"],
        "name_yomi": facts.get("name_yomi", ""),
        "name_en": facts.get("name_en", ""),
        "kind": facts.get("kind", Repository.Kind.LIBRARY),
        "home_page": facts.get("home_page", "").replace("{base}", base),
        "link_template": facts.get("link_template", "").replace("{base}", base),
        "state": Repository.State.LIVE,
    }
    repository = Repository.objects.filter(number=facts["number"]).first()
    if repository is None:
        repository = Repository(number=facts["number"], **values)
        return register(repository, [Feed(base_url=f"{base}/oai", metadata_prefix=facts["prefixes"][0])])
    Repository.objects.filter(pk=repository.pk).update(**values)
    repository.feeds.update(base_url=f"{base}/oai")
    return repository


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
