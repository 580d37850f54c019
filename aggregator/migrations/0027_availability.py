import django.db.models.deletion
import harvesting.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    """Which libraries can be asked whether a book can be borrowed now. Empty at first: a library opts in."""

    dependencies = [
        ('aggregator', '0026_loans'),
    ]

    operations = [
        migrations.CreateModel(
            name='AvailabilityAdapter',
            fields=[
                ('library', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='availability_adapter', serialize=False, to='aggregator.library', verbose_name='holding library')),
                ('kind', models.CharField(blank=True, choices=[('daia', 'DAIA (1.0 in JSON, 0.5 in JSON or XML)'), ('json', 'JSON with declared fields')], max_length=8, verbose_name='kind of interface')),
                ('address', models.CharField(blank=True, max_length=500, validators=[harvesting.validators.validate_link_template], verbose_name='address template')),
                ('declared', models.JSONField(blank=True, default=dict, verbose_name='declared fields')),
                ('answered_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='last answer')),
                ('failed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='last failure')),
                ('failure', models.CharField(blank=True, editable=False, max_length=60, verbose_name='reason of the failure')),
                ('facts', models.JSONField(blank=True, default=dict, editable=False)),
                ('failures', models.PositiveIntegerField(default=0, editable=False, verbose_name='failures since the last answer')),
                ('paused_until', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='not asked until')),
            ],
            options={
                'verbose_name': 'interface for availability',
                'verbose_name_plural': 'interfaces for availability',
            },
        ),
    ]
