"""The options of a self-test are called that. The column keeps its name: older programs may still be running."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0042_pushes")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField("SelfTest", "wishes", models.JSONField(db_column="wishes", default=dict)),
                migrations.RenameField("SelfTest", "wishes", "options"),
                migrations.AlterField(
                    "HealthStatus",
                    "repository",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="health",
                        serialize=False,
                        to="harvesting.repository",
                    ),
                ),
            ]
        )
    ]
