"""Form field for a day, in the format of a browser's date input, within the years that databases can calculate with."""

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

FIRST, LAST = date(1900, 1, 1), date(2999, 12, 31)


class DayField(forms.DateField):
    """A day between 1900-01-01 and 2999-12-31. Not required, unless the options say so."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        limits = [MinValueValidator(FIRST), MaxValueValidator(LAST)]
        super().__init__(**{"required": False, "widget": widget, "validators": limits, **options})
