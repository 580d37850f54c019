from django.db import migrations, models


class Migration(migrations.Migration):
    """Single copies of books as records of their own. Those of existing books are stamped in portions, see 0032."""

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
    ]
