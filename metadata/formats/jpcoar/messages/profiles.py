"""Severities of JPCOAR and junii2 rules in profiles other than IRDB's. Knows no rule.

The severities in the tables of messages are IRDB's; these are the differences.
"""

from metadata.issue import Severity

# Matters of IRDB's style, which are only information for a provider that knows neither IRDB nor NDL.
STYLE = {"lax": Severity.INFORMATION}
# For services of IRDB alone: registering DOIs, passing theses on, Japan Grant Numbers.
IRDB_SERVICES = {"ndl": Severity.INFORMATION, "lax": None}
NOT_IN_LAX = {"lax": None}
# IRDB does not register such a record, although there is something to show and to link to.
ITEM_ERROR_IN_LAX = {"lax": Severity.ITEM_ERROR}
WARNING_IN_LAX = {"lax": Severity.WARNING}
