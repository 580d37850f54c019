"""Tables of the API keys: each key's request budget, and how much it is used. Columns and constraints."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

USUAL_BUDGET = 1200  # searches per minute: twice what clients without a key may do
LARGEST_BUDGET = 60_000


class ApiKey(models.Model):
    """An API key that a program sends with its requests; it has a budget of its own. Only a hash of the key is
    stored.
    """

    name = models.CharField(_("name of the program"), max_length=100)
    contact = models.EmailField(_("e-mail address of the operator"))
    purpose = models.CharField(_("purpose"), max_length=200, blank=True)
    budget = models.PositiveIntegerField(
        _("searches per minute"),
        default=USUAL_BUDGET,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_BUDGET)],
    )
    # SHA-256: a key is long and random, so it cannot be guessed
    digest = models.BinaryField(max_length=32, unique=True)
    start = models.CharField(max_length=12)  # its first characters, by which its owner recognises it
    created = models.DateTimeField(_("created at"), auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    revoked = models.DateTimeField(_("revoked at"), null=True)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ["-pk"]
        constraints = [
            # Two active keys never have the same name, so a form that is submitted twice creates one key.
            models.UniqueConstraint(fields=["name"], condition=models.Q(revoked=None), name="key_in_use_once")
        ]

    def __str__(self) -> str:
        return self.name


class ApiKeyDay(models.Model):
    """The number of requests made with a key on one day (UTC). refused: requests over its budget."""

    key = models.ForeignKey(ApiKey, models.CASCADE, related_name="days")
    day = models.DateField()
    answered = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "day"], name="key_day_once")]
        ordering = ["-day"]

    def __str__(self) -> str:
        return f"{self.key} {self.day}"
