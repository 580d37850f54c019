"""Kinds and members are no longer found by hashes, which are at random places of an index, but by their book. The
indexes are dropped by name, because SQLite copies the whole table to alter a column.
"""

import django.db.models.deletion
from django.db import migrations, models

DROPPED = (
    "aggregator_kind_core_id_5ee5414b",
    "aggregator_member_kind_id_7407ba7e",
    "aggregator_member_manifestation_id_c5cb81ea",  # another index begins with this column
)


def drop_indexes(_apps, schema_editor):
    for name in DROPPED:
        schema_editor.execute(f'DROP INDEX IF EXISTS "{name}"')


class Migration(migrations.Migration):
    dependencies = [
        ("aggregator", "0050_stopped_runs_of_lists"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="member",
            index=models.Index(fields=["manifestation", "kind"], name="member_of_manifestation"),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop_indexes, migrations.RunPython.noop)],
            state_operations=[
                migrations.AlterField(
                    model_name="kind",
                    name="core",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="kinds_of",
                        to="aggregator.core",
                    ),
                ),
                migrations.AlterField(
                    model_name="member",
                    name="kind",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="members",
                        to="aggregator.kind",
                    ),
                ),
                migrations.AlterField(
                    model_name="member",
                    name="manifestation",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="aggregator.manifestation",
                    ),
                ),
            ],
        ),
    ]
