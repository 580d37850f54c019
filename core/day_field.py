"""A day that a person chooses in a form, as browsers send it; no day that no database can compute with."""

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

FIRST, LAST = date(1900, 1, 1), date(2999, 12, 31)


class DayField(forms.DateField):
    """May stay empty."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        limits = [MinValueValidator(FIRST), MaxValueValidator(LAST)]
        super().__init__(**{"required": False, "widget": widget, "validators": limits, **options})
