"""Which tables and columns go out with everything, in which order; what is left out and why. Knows models; no rows."""

from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db.models import Field, Model

type Table = type[Model]

# Tables that do not go out, and why. Whatever is not named here does.
LEFT_OUT = {
    "harvesting.SelfTest": "self-tests, kept for some days only",
    "harvesting.LoginThrottle": "failures of some minutes",
    "harvesting.Subscription": "a secret shared with a hub; it is asked for anew",
    "aggregator.HubSubscription": "a secret shared with a subscriber, who asks anew",
    "aggregator.ResourcePackage": "files that are written anew",
    "aggregator.IndexLedger": "of a search index that stays behind",
    "aggregator.IndexedMeanwhile": "of a search index that stays behind",
    "aggregator.Backup": "of this installation",
}
# Columns that do not go out, because they are secret or of this installation. They begin anew with their default.
HIDDEN = {
    "aggregator.Manifestation": {"index_pending"},  # the index is built of all of them
    "auth.User": {"password"},  # nobody can log in before a new one was set
    "harvesting.Draft": {"credentials"},
    "harvesting.Feed": {"credentials"},
    "harvesting.Invitation": {"nonce"},  # the link of the mail that was sent
    "harvesting.Recipient": {"secret"},
}
# Columns with the path of an upload: it is another one elsewhere.
PATHS = {"harvesting.Feed": "base_url", "harvesting.Draft": "upload"}


def tables() -> list[Table]:
    """Every table that goes out, each behind those that it refers to."""
    found: list[Table] = [User, Group, User.groups.through]
    for app in ("harvesting", "aggregator"):
        found += apps.get_app_config(app).get_models(include_auto_created=True)
    kept = {each._meta.label: each for each in found if each._meta.label not in LEFT_OUT}
    graph = {label: _referred(each) & kept.keys() - {label} for label, each in sorted(kept.items())}
    return [kept[label] for label in TopologicalSorter(graph).static_order()]


def _referred(table: Table) -> set[str]:
    return {each.related_model._meta.label for each in columns(table) if each.related_model}


def columns(table: Table) -> list["Field[Any, Any]"]:
    """The columns of a table, those that do not go out included."""
    return [each for each in table._meta.concrete_fields if each.column]


def given_columns(table: Table) -> list["Field[Any, Any]"]:
    """Those that go out."""
    return [each for each in columns(table) if each.name not in HIDDEN.get(table._meta.label, ())]


def leads_out(column: "Field[Any, Any]") -> bool:
    """Whether it refers to a table that is left out: then it goes out empty."""
    return bool(column.related_model and column.related_model._meta.label in LEFT_OUT)


def column_name(column: "Field[Any, Any]") -> str:
    """Of a column, as in the database."""
    return str(column.column)


def name_of(table: Table) -> str:
    """Of its file, without the ending: as in the database, which stays when a class is renamed."""
    return table._meta.db_table.replace("_", ".", 1)
