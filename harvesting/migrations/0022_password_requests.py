"""Adds the requests for new passwords. Keys of letters about passwords, which contained tokens, are replaced."""

from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import Cast, Concat


def forget_tokens(apps, schema_editor):
    letters = apps.get_model("harvesting", "OutgoingMessage").objects.filter(kind="password")
    letters.update(key=Concat(Value("password-before-0022-"), Cast(F("pk"), models.CharField())))


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0021_labels_in_words")]

    operations = [
        migrations.CreateModel(
            name='PasswordRequest',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('address', models.CharField(blank=True, max_length=254)),
                ('language', models.CharField(max_length=5)),
                ('asked', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('address', ''), _negated=True), fields=['asked'], name='password_request_open')],
            },
        ),
        migrations.RunPython(forget_tokens, migrations.RunPython.noop, elidable=True),
    ]
