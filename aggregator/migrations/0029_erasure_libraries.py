"""Which libraries held the books of a provider that is being erased."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("aggregator", "0028_provider_links")]

    operations = [
        migrations.AddField(model_name="erasure", name="libraries", field=models.JSONField(default=list)),
    ]
