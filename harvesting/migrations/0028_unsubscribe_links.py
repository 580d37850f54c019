from django.db import migrations, models


class Migration(migrations.Migration):
    """Where a message can be unsubscribed, for its headers; languages with longer codes."""
    dependencies = [
        ("harvesting", "0027_pictures_of_providers"),
    ]

    operations = [
        migrations.AddField(
            model_name="outgoingmessage",
            name="unsubscribe",
            field=models.CharField(blank=True, db_default="", default="", max_length=500),
        ),
        # codes such as "zh-hans"
        migrations.AlterField("invitation", "language", models.CharField(max_length=16, verbose_name="language of the e-mails")),
        migrations.AlterField("passwordrequest", "language", models.CharField(max_length=16)),
        migrations.AlterField("recipient", "language", models.CharField(default="ja", max_length=16, verbose_name="language")),
    ]
