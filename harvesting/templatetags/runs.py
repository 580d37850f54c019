"""Template filters for the results of runs."""

from django import template

from harvesting.models import Harvest
from harvesting.runs import results

register = template.Library()


@register.filter
def run_result(run: Harvest) -> str:
    """The result as a CSS class: that of a failure if everything was rejected."""
    result = results.result_of(run)
    return "failed" if result == results.Result.REJECTED else result


@register.filter
def run_result_label(run: Harvest) -> str:
    return results.result_label(run)
