from django.db import migrations, models


def mark_merged_records(apps, schema_editor):
    """The copies of all books are to be stamped. Merged records that are unchanged keep their stamps."""
    provided = apps.get_model("aggregator", "Provided").objects
    position = 0
    while pks := list(provided.filter(origin=0, deleted=False, pk__gt=position).order_by("pk").values_list("pk", flat=True)[:10_000]):
        provided.filter(pk__in=pks).update(waiting=True)
        position = pks[-1]


class Migration(migrations.Migration):
    """Single copies of books as records of their own."""

    dependencies = [
        ("aggregator", "0029_erasure_libraries"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProvidedCopy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("item", models.PositiveBigIntegerField()),
                ("library", models.PositiveBigIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("stamp", models.BigIntegerField()),
                ("gone", models.BooleanField(default=False)),
                ("digest", models.BinaryField(default=bytes)),
            ],
            options={
                "indexes": [models.Index(fields=["stamp", "id"], name="provided_copy_order")],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "library", "number"), name="provided_copy_once")
                ],
            },
        ),
        migrations.RunPython(mark_merged_records, migrations.RunPython.noop, elidable=True),
    ]
