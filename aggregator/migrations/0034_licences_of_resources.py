from django.db import migrations, models


class Migration(migrations.Migration):
    """The licences of every resource of ResourceSync. They are filled in by the next aggregation, which compares all
    resources because the code that writes them has changed.
    """

    dependencies = [
        ("aggregator", "0033_missing_books_and_regular_backups"),
    ]

    operations = [
        migrations.AddField("resource", "licences", models.TextField(blank=True)),
    ]
