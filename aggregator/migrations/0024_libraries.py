import django.core.validators
import django.db.models.deletion
import harvesting.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    """Libraries and what they hold. Existing sites get their holdings when each book is next merged."""

    dependencies = [
        ('aggregator', '0023_questions'),
        ('harvesting', '0021_labels_in_words'),
    ]

    operations = [
        migrations.CreateModel(
            name='Library',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('reading', models.CharField(blank=True, max_length=200, verbose_name='reading of the name')),
                ('name_en', models.CharField(blank=True, max_length=200, verbose_name='English name')),
                ('short_name', models.CharField(blank=True, max_length=60, verbose_name='short name')),
                ('kind', models.CharField(blank=True, choices=[('national', 'national library'), ('prefectural', 'prefectural library'), ('municipal', 'municipal library'), ('university', 'university library'), ('school', 'school library'), ('special', 'special library'), ('other', 'other library')], max_length=12, verbose_name='kind of library')),
                ('prefecture', models.CharField(blank=True, max_length=2, verbose_name='prefecture')),
                ('municipality', models.CharField(blank=True, max_length=5, verbose_name='municipality')),
                ('address', models.CharField(blank=True, max_length=300, verbose_name='postal address')),
                ('latitude', models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(-90), django.core.validators.MaxValueValidator(90)], verbose_name='latitude')),
                ('longitude', models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(-180), django.core.validators.MaxValueValidator(180)], verbose_name='longitude')),
                ('telephone', models.CharField(blank=True, max_length=60, verbose_name='telephone')),
                ('hours', models.CharField(blank=True, max_length=500, verbose_name='opening hours')),
                ('closed_days', models.CharField(blank=True, max_length=500, verbose_name='closed days')),
                ('page', models.URLField(blank=True, max_length=500, validators=[harvesting.validators.validate_web_address], verbose_name='home page')),
                ('link_template', models.CharField(blank=True, max_length=500, validators=[harvesting.validators.validate_link_template], verbose_name='OpenURL link template')),
                ('remarks', models.TextField(blank=True, verbose_name='remarks')),
                ('lends', models.BooleanField(blank=True, null=True, verbose_name='lends to other libraries')),
                ('ill_terms', models.TextField(blank=True, verbose_name='terms of interlibrary loan')),
                ('closed_on', models.DateField(blank=True, null=True, verbose_name='closed for good on')),
                ('edited', models.JSONField(blank=True, default=list, verbose_name='fields filled in by people')),
                ('holdings', models.PositiveBigIntegerField(default=0, verbose_name='books held')),
                ('merged_into', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged', to='aggregator.library', verbose_name='merged into')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='branches', to='aggregator.library', verbose_name='branch of')),
            ],
            options={
                'verbose_name': 'holding library',
                'verbose_name_plural': 'holding libraries',
            },
        ),
        migrations.CreateModel(
            name='Holding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('copies', models.PositiveIntegerField(default=0, verbose_name='copies')),
                ('link', models.CharField(blank=True, max_length=2000, verbose_name='link')),
                ('link_kind', models.CharField(blank=True, max_length=10, verbose_name='kind of link')),
                ('packed', models.BinaryField(default=bytes)),
                ('manifestation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='holdings', to='aggregator.manifestation', verbose_name='bibliographic record')),
                ('library', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='holds', to='aggregator.library', verbose_name='holding library')),
            ],
            options={
                'verbose_name': 'holding',
                'verbose_name_plural': 'holdings',
            },
        ),
        migrations.CreateModel(
            name='LibraryCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scheme', models.CharField(max_length=60, verbose_name='scheme')),
                ('value', models.CharField(max_length=200, verbose_name='code')),
                ('library', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='aggregator.library', verbose_name='holding library')),
                ('own', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='former_codes', to='aggregator.library', verbose_name='before merging')),
            ],
            options={
                'verbose_name': 'code of a library',
                'verbose_name_plural': 'codes of libraries',
            },
        ),
        migrations.CreateModel(
            name='LibraryName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('library', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='names', to='aggregator.library', verbose_name='holding library')),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='harvesting.repository', verbose_name='repository')),
            ],
            options={
                'verbose_name': 'name of a library',
                'verbose_name_plural': 'names of libraries',
            },
        ),
        migrations.AddIndex(
            model_name='library',
            index=models.Index(condition=models.Q(('merged_into', None)), fields=['prefecture', 'municipality'], name='library_of_region'),
        ),
        migrations.AddIndex(
            model_name='holding',
            index=models.Index(fields=['library', '-manifestation'], name='holding_of_library'),
        ),
        migrations.AddConstraint(
            model_name='holding',
            constraint=models.UniqueConstraint(fields=('manifestation', 'library'), name='holding_once'),
        ),
        migrations.AddIndex(
            model_name='librarycode',
            index=models.Index(fields=['value'], name='library_code_value'),
        ),
        migrations.AddConstraint(
            model_name='librarycode',
            constraint=models.UniqueConstraint(fields=('scheme', 'value'), name='library_code_once'),
        ),
        migrations.AddConstraint(
            model_name='libraryname',
            constraint=models.UniqueConstraint(fields=('library', 'repository', 'name'), name='library_name_once'),
        ),
    ]
