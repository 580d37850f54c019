import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What staff decide about libraries: which proved to be one, and answers to questions."""

    dependencies = [
        ('aggregator', '0024_libraries'),
    ]

    operations = [
        migrations.CreateModel(
            name='LibraryAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('names', models.JSONField(blank=True, default=list)),
                ('verdict', models.CharField(choices=[('one', 'one library under several names'), ('two', 'two libraries')], max_length=3, verbose_name='answer')),
                ('at', models.DateTimeField(auto_now=True, verbose_name='when')),
                ('person', models.CharField(blank=True, max_length=150, verbose_name='who')),
                ('library', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='aggregator.library', verbose_name='holding library')),
                ('other', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='aggregator.library', verbose_name='other library')),
            ],
            options={
                'verbose_name': 'answer about libraries',
                'verbose_name_plural': 'answers about libraries',
                'constraints': [models.UniqueConstraint(condition=models.Q(('other', None)), fields=('library',), name='library_answer_names'), models.UniqueConstraint(condition=models.Q(('other__isnull', False)), fields=('library', 'other'), name='library_answer_pair')],
            },
        ),
        migrations.CreateModel(
            name='LibraryMerge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('person', models.CharField(blank=True, max_length=150, verbose_name='who')),
                ('undone_at', models.DateTimeField(blank=True, null=True, verbose_name='undone at')),
                ('undone_by', models.CharField(blank=True, max_length=150, verbose_name='undone by')),
                ('replaced', models.JSONField(blank=True, default=dict)),
                ('branches', models.JSONField(blank=True, default=list)),
                ('last_name', models.PositiveBigIntegerField(default=0)),
                ('settled', models.BooleanField(default=False)),
                ('into', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='taken_in', to='aggregator.library', verbose_name='merged into')),
                ('library', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merges', to='aggregator.library', verbose_name='library that was merged')),
            ],
            options={
                'verbose_name': 'merging of libraries',
                'verbose_name_plural': 'mergings of libraries',
                'indexes': [models.Index(condition=models.Q(('settled', False)), fields=['id'], name='library_merge_unsettled')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('undone_at', None)), fields=('library',), name='library_merged_once')],
            },
        ),
    ]
