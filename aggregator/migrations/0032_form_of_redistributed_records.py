from django.db import migrations, models


class Migration(migrations.Migration):
    """How far the records of every provider were stamped again after their redistributed form has changed. Existing
    providers get the form 0, so that all their records are stamped once more, in portions.
    """

    dependencies = [
        ("aggregator", "0031_labels_of_loans"),
    ]

    operations = [
        migrations.AddField("providedterms", "form", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("providedterms", "done", models.PositiveBigIntegerField(default=0)),
    ]
