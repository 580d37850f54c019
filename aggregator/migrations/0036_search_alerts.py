import core.languages
import aggregator.models.alerts
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Alerts of readers, and their mails in the outbox; the choice of languages is that of the site."""
    dependencies = [
        ("aggregator", "0035_statistics"),
        ("harvesting", "0028_unsubscribe_links"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchAlert",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.EmailField(max_length=254, verbose_name="e-mail address")),
                ("search", models.TextField()),
                (
                    "how",
                    models.CharField(
                        choices=[("daily", "once a day"), ("weekly", "once a week")],
                        default="weekly",
                        max_length=6,
                        verbose_name="how often",
                    ),
                ),
                ("language", models.CharField(max_length=16)),
                ("nonce", models.CharField(default=aggregator.models.alerts.new_nonce, max_length=16)),
                ("seen", models.PositiveBigIntegerField(default=0)),
                ("due", models.DateTimeField()),
                ("failures", models.PositiveSmallIntegerField(default=0)),
                ("confirmed", models.DateTimeField(null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("confirmed__isnull", False)), fields=["due"], name="search_alert_due"
                    ),
                    models.Index(
                        condition=models.Q(("confirmed", None)), fields=["created"], name="search_alert_unconfirmed"
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("address", "search"), name="search_alert_once")],
            },
        ),
        migrations.CreateModel(
            name="AlertMail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen", models.PositiveBigIntegerField(default=0)),
                (
                    "message",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="harvesting.outgoingmessage"
                    ),
                ),
                (
                    "alert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="mails", to="aggregator.searchalert"
                    ),
                ),
            ],
        ),
        migrations.AlterField("loanterms", "language", models.CharField(choices=core.languages.choices, default="ja", max_length=16, verbose_name="language of the e-mails")),
    ]
