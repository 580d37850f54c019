"""Migrations since the last release leave the tables usable by that release's program, so that machines can be upgraded
one by one: while some run the new program, others still read and write with the old one.

What cannot be done in one step is done in two: the first release no longer uses a column (and gives it a default in the
database, if it may not be empty); the next release removes it.
"""

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tests.aggregator.upgrades.releases import RELEASES

# The last migrations that were made before this rule.
BEFORE = {"aggregator": "0039_taken_lists", "harvesting": "0039_names_of_uploads"}
LAST_RELEASE = list(RELEASES.values())[-1]
# Migrations for which all machines must be stopped, with the reason. CHANGELOG.md says so at the release.
STOPS: dict[str, str] = {}

REMOVING = (
    migrations.RemoveField,
    migrations.RenameField,
    migrations.DeleteModel,
    migrations.RenameModel,
    migrations.AlterModelTable,
    migrations.AlterUniqueTogether,
    migrations.AddConstraint,
    migrations.RunSQL,
)


def fault(operation: Operation, state: ProjectState, app: str) -> str:
    """Why the old program cannot read or write after this operation, "" if it can. state: before the operation."""
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return next(filter(None, (fault(inner, state, app) for inner in operation.database_operations)), "")
    if isinstance(operation, REMOVING):
        return f"{type(operation).__name__}: the old program may still need it, or break the new rule"
    if isinstance(operation, migrations.AddField) and _must_be_written(operation.field):
        return f"AddField {operation.name}: the old program does not write it: allow null, or give it a db_default"
    if isinstance(operation, migrations.AlterField):
        before = state.models[app, operation.model_name_lower].fields[operation.name]
        return _narrowed(before, operation.field)
    return ""


def _must_be_written(field: models.Field) -> bool:
    return not (field.null or field.many_to_many or field.has_db_default() or field.generated)


def _narrowed(before: models.Field, after: models.Field) -> str:
    """Why a field does not take everything that it took, "" if it does."""
    if before.get_internal_type() != after.get_internal_type():
        return f"AlterField {after.name}: another type"
    if before.null and not after.null:
        return f"AlterField {after.name}: no longer null"
    if after.unique and not before.unique:
        return f"AlterField {after.name}: unique"
    if (after.max_length or 0) < (before.max_length or 0):
        return f"AlterField {after.name}: shorter"
    return ""


def faults() -> dict[str, str]:
    """The migrations since the last release that the old program cannot live with, and why."""
    graph = MigrationLoader(None).graph
    found: dict[str, str] = {}
    state, unknown = ProjectState(), set()  # tables that the old program does not know
    for app, name in _in_order(graph):
        migration = graph.nodes[app, name]
        is_new = app in BEFORE and name > max(BEFORE[app], LAST_RELEASE[app])
        for operation in migration.operations:
            if is_new and isinstance(operation, migrations.CreateModel):
                unknown.add((app, operation.name_lower))
            concerned = (app, getattr(operation, "model_name_lower", ""))
            if is_new and concerned not in unknown and (why := fault(operation, state, app)):
                found.setdefault(f"{app}.{name}", why)
            operation.state_forwards(app, state)
    return found


def _in_order(graph) -> list[tuple[str, str]]:
    """All migrations, those that others need first."""
    return list(dict.fromkeys(node for leaf in graph.leaf_nodes() for node in graph.forwards_plan(leaf)))


def test_the_old_program_can_go_on_after_the_migrations_of_this_release() -> None:
    found = faults()
    assert {name: why for name, why in found.items() if name not in STOPS} == {}
    assert STOPS.keys() <= found.keys()  # no entry that is not needed


def test_the_migrations_before_the_rule_exist() -> None:
    graph = MigrationLoader(None).graph
    assert all(node in graph.nodes for node in BEFORE.items())


def _state() -> ProjectState:
    state = ProjectState()
    fields = [("id", models.AutoField(primary_key=True)), ("note", models.CharField(max_length=50, null=True))]
    migrations.CreateModel("Book", fields).state_forwards("aggregator", state)
    return state


@pytest.mark.parametrize(
    ("operation", "is_fault"),
    [
        (migrations.RemoveField("book", "note"), True),
        (migrations.RenameField("book", "note", "remark"), True),
        (migrations.DeleteModel("Book"), True),
        (migrations.AddField("book", "pages", models.IntegerField(default=0)), True),
        (migrations.AddField("book", "pages", models.IntegerField(default=0, db_default=0)), False),
        (migrations.AddField("book", "pages", models.IntegerField(null=True)), False),
        (migrations.AlterField("book", "note", models.CharField(max_length=60, null=True)), False),
        (migrations.AlterField("book", "note", models.CharField(max_length=40, null=True)), True),
        (migrations.AlterField("book", "note", models.CharField(max_length=50, default="")), True),
        (migrations.AlterField("book", "note", models.IntegerField(null=True)), True),
        (migrations.AlterField("book", "note", models.CharField(max_length=50, null=True, unique=True)), True),
        (migrations.AddIndex("book", models.Index(fields=["note"], name="notes")), False),
        (migrations.RunSQL("SELECT 1"), True),
        (migrations.SeparateDatabaseAndState([], [migrations.RemoveField("book", "note")]), False),
        (migrations.SeparateDatabaseAndState([migrations.RemoveField("book", "note")], []), True),
    ],
)
def test_what_the_old_program_cannot_live_with(operation: Operation, is_fault: bool) -> None:
    assert bool(fault(operation, _state(), "aggregator")) == is_fault
