"""Switched rules of a repository in the admin: which rule, the severity it counts as, and why.

`metadata.policy` decides which rules may be switched to what.
"""

from itertools import groupby
from typing import Any

from django import forms
from django.contrib import admin
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from harvesting.models import Repository, RuleSwitch
from harvesting.registry.policies import severity_of
from metadata.catalogue import RULES, family_of, general_sentence, severity_label
from metadata.issue import Severity
from metadata.policy import is_switchable, may_count_as

LONGEST = 120  # characters of a sentence in the list of rules


class SwitchForm(forms.ModelForm[RuleSwitch]):
    """A rule, its outcome and the reason. The rule of an existing switch cannot be changed."""

    code = forms.ChoiceField(
        label=gettext_lazy("rule"),
        error_messages={
            "invalid_choice": gettext_lazy(
                "%(value)s cannot be switched off or given another severity: it concerns something that could not be "
                "read as a record, or the rule does not exist."
            )
        },
    )
    reason = forms.CharField(
        label=gettext_lazy("reason"),
        max_length=RuleSwitch._meta.get_field("reason").max_length,
        widget=forms.Textarea(attrs={"rows": 2, "cols": 40}),
    )

    class Meta:
        model = RuleSwitch
        fields = ("code", "outcome", "reason")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        rule = self.fields.get("code")
        if not isinstance(rule, forms.ChoiceField):  # the page is read-only for this user
            return
        if self.instance.pk:
            rule.choices = [(self.instance.code, rule_label(self.instance.code))]
            rule.disabled = True
        else:
            rule.choices = rule_choices()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        code, outcome = values.get("code", ""), values.get("outcome", "")
        if code in RULES and outcome and not may_count_as(code, severity_of(outcome)):
            self.add_error("outcome", self._refusal(code))
        return values

    def record_decision(self, user: Any) -> None:
        """Record who decided, and the time of the decision."""
        self.instance.decided_by = user.get_username()
        self.instance.decided_at = timezone.now()

    def _refusal(self, code: str) -> str:
        return _(
            "%(code)s concerns something that could not be read as a record, or the way it was "
            "delivered. It may be made more severe than “%(severity)s”, but not less."
        ) % {"code": code, "severity": severity_label(RULES[code].severity, get_language() or "")}


class SwitchInline(admin.StackedInline[RuleSwitch, Repository]):
    model = RuleSwitch
    form = SwitchForm
    extra = 0
    fields = ("code", "outcome", "reason", ("decided_by", "decided_at"))
    readonly_fields = ("decided_by", "decided_at")


def rule_choices() -> list[Any]:
    """The choices of all switchable rules, grouped by format, each with the beginning of its sentence."""
    codes = [code for code in sorted(RULES, key=lambda code: (family_of(code), code)) if is_switchable_at_all(code)]
    groups = [(family, [(code, rule_label(code)) for code in rules]) for family, rules in groupby(codes, family_of)]
    return [("", "---------"), *groups]


def is_switchable_at_all(code: str) -> bool:
    """Whether a rule may be switched to at least one other outcome."""
    return is_switchable(code) or may_count_as(code, Severity.RECORD_ERROR)


def rule_label(code: str) -> str:
    """The code with its sentence; the code alone for a rule that an earlier version had."""
    if code not in RULES:
        return code
    text = f"{code} {general_sentence(code, get_language() or '')}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
