from django.db import migrations, models


class Migration(migrations.Migration):
    """The licences of every resource of ResourceSync. They are filled in by the next aggregation, which compares all
    resources because the code that writes them has changed.
    """

    dependencies = [
        ("aggregator", "0032_form_of_redistributed_records"),
    ]

    operations = [
        migrations.AddField("resource", "licences", models.TextField(blank=True)),
    ]
