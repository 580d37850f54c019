"""Tables of the keys of programs: who may ask how much, and how much was asked. Columns and constraints."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

USUAL_BUDGET = 1200  # searches a minute: twice what anybody has without a key
LARGEST_BUDGET = 60_000


class ApiKey(models.Model):
    """A key that a program sends along, with a budget of its own. Of the key itself only a hash is kept."""

    name = models.CharField(_("name of the program"), max_length=100)
    contact = models.EmailField(_("e-mail address of who runs it"))
    purpose = models.CharField(_("what it is for"), max_length=200, blank=True)
    budget = models.PositiveIntegerField(
        _("searches a minute"),
        default=USUAL_BUDGET,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_BUDGET)],
    )
    digest = models.BinaryField(max_length=32, unique=True)  # SHA-256: a key is long and random, nobody can guess it
    start = models.CharField(max_length=12)  # its first characters, by which its owner knows it again
    created = models.DateTimeField(_("made at"), auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    revoked = models.DateTimeField(_("revoked at"), null=True)

    class Meta:
        verbose_name = _("key of a program")
        verbose_name_plural = _("keys of programs")
        ordering = ["-pk"]
        constraints = [
            # Two keys in use never have the same name, so a form that is sent twice makes one.
            models.UniqueConstraint(fields=["name"], condition=models.Q(revoked=None), name="key_in_use_once")
        ]

    def __str__(self) -> str:
        return self.name


class ApiKeyDay(models.Model):
    """How many requests came with a key on one day (UTC). refused: those over its budget."""

    key = models.ForeignKey(ApiKey, models.CASCADE, related_name="days")
    day = models.DateField()
    answered = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "day"], name="key_day_once")]
        ordering = ["-day"]

    def __str__(self) -> str:
        return f"{self.key} {self.day}"
