from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("aggregator", "0032_form_of_redistributed_records")]

    operations = [
        migrations.AddField(
            model_name="indexledger",
            name="missing",
            field=models.PositiveBigIntegerField(default=0, verbose_name="books not in the index"),
        ),
        migrations.AddField(
            model_name="backup",
            name="verified",
            field=models.DateTimeField(null=True, verbose_name="verified at"),
        ),
        migrations.AddField(
            model_name="backup",
            name="copied",
            field=models.DateTimeField(null=True, verbose_name="copied to a second place at"),
        ),
    ]
