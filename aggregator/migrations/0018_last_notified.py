from django.db import migrations, models


class Migration(migrations.Migration):
    """A plainer name in the code; the column keeps its name."""

    dependencies = [("aggregator", "0017_labels")]
    operations = [
        migrations.AlterField(
            "hubsubscription", "told", models.PositiveBigIntegerField(db_column="told", default=0)
        ),
        migrations.RenameField("hubsubscription", "told", "last_notified"),
    ]
