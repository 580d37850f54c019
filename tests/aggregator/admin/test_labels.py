"""Every table and column of the administration pages has a Japanese name; names of standards stay as they are."""

import pytest
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets, label_for_field
from django.utils import translation

pytestmark = pytest.mark.django_db
OWN = [
    model_admin
    for model, model_admin in admin.site._registry.items()
    if model._meta.app_label in ("harvesting", "aggregator")
]
STANDARD = {"ID", "ISBN", "baseURL", "metadataPrefix", "setSpec"}


@pytest.mark.parametrize("model_admin", OWN, ids=lambda model_admin: model_admin.model.__name__)
def test_every_table_and_column_is_named_in_japanese(model_admin, rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    names = {*model_admin.get_list_display(request), *flatten_fieldsets(model_admin.get_fieldsets(request))}
    with translation.override("ja"):
        labels = {name: label(name, model_admin) for name in names - {"__str__", "action_checkbox"}}
        table = str(model_admin.model._meta.verbose_name)
    assert labels
    assert not table.isascii()
    assert not [name for name, text in labels.items() if text.isascii() and text not in STANDARD]


def label(name, model_admin) -> str:
    """Return the label of a field: that of the model's column, or of the form if the model has no such column."""
    try:
        return str(label_for_field(name, model_admin.model, model_admin))
    except AttributeError:
        return str(model_admin.form.base_fields[name].label)
