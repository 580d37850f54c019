"""Drops indexes that are not needed: those whose columns another index begins with, and one for searches by the
beginning of a public id, which do not occur. They are dropped by name, because SQLite copies the whole table to alter
a column."""

import django.db.models.deletion
from django.db import migrations, models

DROPPED = (
    "harvesting_harvest_feed_id_733b04bf",
    "harvesting_helddeletion_harvest_id_940c5637",
    "harvesting_membership_record_id_c7f8447c",
    "harvesting_sourcerecord_repository_id_63195356",
    "harvesting_sourcerecord_public_id_24723ced_like",
)


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0016_harvests_by_kind")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(f"DROP INDEX IF EXISTS {name}", migrations.RunSQL.noop) for name in DROPPED
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="harvest",
                    name="feed",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="harvests",
                        to="harvesting.feed",
                        verbose_name="feed",
                    ),
                ),
                migrations.AlterField(
                    model_name="helddeletion",
                    name="harvest",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="held_deletions",
                        to="harvesting.harvest",
                    ),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="record",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="harvesting.sourcerecord",
                    ),
                ),
                migrations.AlterField(
                    model_name="sourcerecord",
                    name="repository",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="records",
                        to="harvesting.repository",
                        verbose_name="repository",
                    ),
                ),
            ],
        )
    ]
