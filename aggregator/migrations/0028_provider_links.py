from django.db import migrations, models


def note_existing_providers(apps, schema_editor):
    """The books of existing sites have no holdings: those of every provider are to be merged once more."""
    rows = apps.get_model("aggregator", "ProviderLinks").objects
    owners = apps.get_model("harvesting", "Repository").objects.values_list("pk", flat=True)
    rows.bulk_create(rows.model(repository=pk, done=0) for pk in owners)


class Migration(migrations.Migration):
    """The links in the table of holdings follow the link templates of providers."""

    dependencies = [
        ("aggregator", "0027_availability"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProviderLinks",
            fields=[
                ("repository", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("digest", models.CharField(blank=True, max_length=32)),
                ("done", models.PositiveBigIntegerField(null=True)),
            ],
        ),
        migrations.RunPython(note_existing_providers, migrations.RunPython.noop, elidable=True),
    ]
